// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// A metric of a `Server-Timing` field: what a server says about its own time (W3C Server Timing §2).
///
/// Nothing verifies it. It comes from the server, or from a proxy on the way.
public struct ServerTiming: Sendable, Hashable {
    /// The name, such as `db`; case matters.
    public let name: String
    /// `dur`, in the field in milliseconds; nil if it is absent, or no number from 0 to 10¹².
    public let duration: Duration?
    /// `desc`; nil if it is absent.
    public let description: String?

    /// Creates a metric.
    public init(name: String, duration: Duration? = nil, description: String? = nil) {
        (self.name, self.duration, self.description) = (name, duration, description)
    }

    /// Reads an element of the field. Nil if it is not exactly as the grammar has it: a token, and parameters whose
    /// values are tokens or quoted strings. Of several parameters with one name the first counts, and unknown ones are
    /// ignored.
    init?(_ element: Span<UInt8>) {
        var reader = Reader(bytes: element.copy(element.indices))
        let name = reader.token()
        if name.isEmpty { return nil }
        var (durationText, description): (String?, String?)
        while reader.take(UInt8(ascii: ";")) {
            let parameter = reader.token()
            guard !parameter.isEmpty, reader.take(UInt8(ascii: "=")), let value = reader.value() else { return nil }
            switch parameter.lowercased() {
            case "dur": durationText = durationText ?? value
            case "desc": description = description ?? value
            default: break
            }
        }
        guard reader.isAtEnd else { return nil }
        self.init(name: name, duration: durationText.flatMap(Self.duration), description: description)
    }

    private static func duration(_ text: String) -> Duration? {
        // `Double` reads words and hexadecimal digits, too.
        guard text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }), let milliseconds = Double(text),
            (0...1e12).contains(milliseconds)
        else { return nil }
        return .nanoseconds(Int64((milliseconds * 1e6).rounded()))
    }

    /// Reads words from left to right, and skips the blanks before each.
    private struct Reader {
        private let bytes: [UInt8]
        private var position = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        private mutating func skipBlanks() { while next?.isBlank == true { position += 1 } }

        private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

        var isAtEnd: Bool {
            mutating get {
                skipBlanks()
                return next == nil
            }
        }

        mutating func take(_ byte: UInt8) -> Bool {
            skipBlanks()
            guard next == byte else { return false }
            position += 1
            return true
        }

        /// Empty if there is none.
        mutating func token() -> String {
            skipBlanks()
            let start = position
            while next?.isToken == true { position += 1 }
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }

        /// A token or a quoted string (RFC 9110 §5.6.4); nil if there is neither.
        mutating func value() -> String? {
            guard take(UInt8(ascii: "\"")) else {
                let token = token()
                return token.isEmpty ? nil : token
            }
            var content: [UInt8] = []
            while let byte = next {
                position += 1
                switch byte {
                case UInt8(ascii: "\""): return FieldValue(content).text
                case UInt8(ascii: "\\"):
                    guard let escaped = next else { return nil }
                    position += 1
                    content.append(escaped)
                default: content.append(byte)
                }
            }
            return nil
        }
    }
}

extension HTTPURLResponse {
    /// The metrics of the `Server-Timing` fields, in order; of more than 64 the first 64. An element that does not
    /// follow the grammar is skipped. Parsed on each call.
    public var serverTimings: [ServerTiming] {
        var timings: [ServerTiming] = []
        // Of a list that is too long the beginning counts: a metric decides nothing.
        _ = head.readList("Server-Timing", .directives) { if let timing = ServerTiming($0) { timings.append(timing) } }
        return timings
    }
}
