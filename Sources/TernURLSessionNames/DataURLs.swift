// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

/// Answers `data:` URLs with what they contain (RFC 2397).
struct DataURLs: ResponseProvider {
    let isForServers = false

    func response(to request: URLRequest, of task: any AnyObject & Sendable) -> (any ProvidedResponse)? {
        guard let url = request.url, url.scheme?.lowercased() == "data" else { return nil }
        return DataURLResponse(url, DataURL(url.absoluteString))
    }
}

/// What a `data:` URL contains.
struct DataURL: Equatable {
    /// The media type with its parameters, but for `base64`.
    let mediaType: String
    let content: Data

    /// Nil for a text that is no such URL: without a comma, with an escape of no byte, or with content that is not in
    /// base64 as it says.
    init?(_ text: String) {
        // Bytes: a character may be as long as the URL.
        let bytes = Array(text.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            String(decoding: bytes[..<colon], as: UTF8.self).lowercased() == "data",
            let comma = bytes[colon...].firstIndex(of: UInt8(ascii: ","))
        else { return nil }
        var parts = bytes[(colon + 1)..<comma]
        let last = parts.lastIndex(of: UInt8(ascii: ";")).map { parts[$0...] }
        let isInBase64 = last.map { Self.trimmed($0.dropFirst()).lowercased() == "base64" } ?? false
        if isInBase64, let last { parts = parts[..<last.startIndex] }
        guard let content = Self.content(bytes[(comma + 1)...], isInBase64) else { return nil }
        self.content = content
        // RFC 2397 §2. A charset is not made up: text without one may be anything.
        let type = Self.trimmed(parts.prefix { $0 != UInt8(ascii: ";") })
        mediaType = (type.isEmpty ? "text/plain" : type) + Self.unescaped(parts.drop { $0 != UInt8(ascii: ";") })
        // It becomes the value of a field.
        guard mediaType.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return nil }
    }

    private static func trimmed(_ part: ArraySlice<UInt8>) -> String {
        unescaped(part).trimmingCharacters(in: .whitespaces)
    }

    /// A part whose escapes are no UTF-8 is empty.
    private static func unescaped(_ parts: ArraySlice<UInt8>) -> String {
        if let bytes = PercentEncoding.decoded(parts), bytes.allSatisfy({ $0 < 0x80 }) {
            return String(decoding: bytes, as: UTF8.self)
        }
        return parts.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self).removingPercentEncoding ?? "" }.joined(separator: ";")
    }

    private static func content(_ text: ArraySlice<UInt8>, _ isInBase64: Bool) -> Data? {
        var content = Data(text)
        // Most have nothing but their content, which one quick look tells.
        if text.reduce(0, { $0 | ($1 <= 0x25 ? 1 : 0) }) != 0 {
            guard let bytes = PercentEncoding.decoded(text.prefix { $0 != UInt8(ascii: "#") }) else { return nil }
            content = Data(bytes)
            // Blanks and line ends, as in the data of web pages.
            if isInBase64 { content.removeAll { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D } }
        }
        guard isInBase64 else { return content }
        // With or without its padding.
        if content.last != UInt8(ascii: "=") {
            content.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (4 - content.count % 4) % 4))
        }
        return Data(base64Encoded: content)
    }
}

private final class DataURLResponse: ProvidedResponse {
    private let url: URL
    private let contained: DataURL?

    init(_ url: URL, _ contained: DataURL?) { (self.url, self.contained) = (url, contained) }

    func start(_ receiver: any ProvidedResponseReceiver) {
        guard let contained,
            let response = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: nil,
                headerFields: [
                    "Content-Type": contained.mediaType, "Content-Length": "\(contained.content.count)",
                ])
        else {
            return receiver.fail(NSError(domain: NSURLErrorDomain, code: Foundation.URLError.Code.badURL.rawValue))
        }
        let plain = PlainURLResponse(
            url: url, mimeType: String(contained.mediaType.prefix { $0 != ";" }),
            expectedContentLength: contained.content.count,
            textEncodingName: HTTPURLResponse.charset(of: contained.mediaType))
        receiver.receive(response.shown(as: plain), isStorable: false, isFollowed: false)
        receiver.receive(contained.content)
        receiver.finish()
    }

    func stop() {}
}
