// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
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
        guard let colon = text.firstIndex(of: ":"), text[..<colon].lowercased() == "data",
            let comma = text[colon...].firstIndex(of: ",")
        else { return nil }
        var parts = text[text.index(after: colon)..<comma].split(separator: ";", omittingEmptySubsequences: false)
            .map { $0.removingPercentEncoding ?? "" }
        let isInBase64 = parts.count > 1 && parts.last?.lowercased().trimmingCharacters(in: .whitespaces) == "base64"
        if isInBase64 { parts.removeLast() }
        let fragmentless = text[text.index(after: comma)...].prefix { $0 != "#" }
        guard let bytes = PercentEncoding.decoded(ArraySlice(fragmentless.utf8)) else { return nil }
        guard let content = isInBase64 ? Self.decoded(bytes) : Data(bytes) else { return nil }
        self.content = content
        let type = parts.first?.trimmingCharacters(in: .whitespaces) ?? ""
        // RFC 2397 §2. A charset is not made up: text without one may be anything.
        parts = [type.isEmpty ? "text/plain" : type] + parts.dropFirst()
        let joined = parts.joined(separator: ";")
        // It becomes the value of a field.
        guard joined.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return nil }
        mediaType = joined
    }

    /// With or without its padding, and with blanks and line ends in it, as in the data of web pages.
    private static func decoded(_ bytes: [UInt8]) -> Data? {
        var text = bytes.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if !text.contains(UInt8(ascii: "=")) {
            text.append(contentsOf: [UInt8](repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4))
        }
        return Data(base64Encoded: Data(text))
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
        receiver.receive(response, isStorable: false, isFollowed: false)
        receiver.receive(contained.content)
        receiver.finish()
    }

    func stop() {}
}
