// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Parses the challenges of one field from left to right (RFC 9110 §11.6.1). Commas separate challenges as well as the
/// parameters of one: a word that no equals sign follows begins the next challenge.
struct ChallengeParser {
    private let bytes: [UInt8]
    private var position = 0
    private var current: HTTPChallenge?

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func challenges(atMost count: Int) -> [HTTPChallenge] {
        var challenges: [HTTPChallenge] = []
        while challenges.count < count {
            skip { $0 == UInt8(ascii: ",") || $0.isBlank }
            guard let name = word(where: \.isToken) else { break }
            let end = position
            skipBlanks()
            if let count = current?.parameters.count, next == UInt8(ascii: "=") {
                position += 1
                guard count < HTTPChallenge.maximumParameterCount, let value = value() else { break }
                current?.parameters.append(HTTPChallenge.Parameter(name: name.lowercased(), value: value))
            } else {
                if let finished = current.take() { challenges.append(finished) }
                position = end
                current = HTTPChallenge(scheme: name.lowercased())
                skipToken68()
            }
        }
        if challenges.count < count, let last = current.take() { challenges.append(last) }
        return challenges
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skip(while isSkipped: (UInt8) -> Bool) {
        while let next, isSkipped(next) { position += 1 }
    }

    private mutating func skipBlanks() { skip(while: \.isBlank) }

    private mutating func word(where isPart: (UInt8) -> Bool) -> String? {
        let start = position
        skip(while: isPart)
        return start == position ? nil : String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// What follows an equals sign: a token or a quoted string; nil if it is neither.
    private mutating func value() -> String? {
        skipBlanks()
        return next == UInt8(ascii: "\"") ? quotedString() : word(where: \.isToken)
    }

    /// RFC 9110 §5.6.4; nil if it is not terminated.
    private mutating func quotedString() -> String? {
        var content: [UInt8] = []
        position += 1
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = next else { return nil }
                content.append(escaped)
                position += 1
            default: content.append(byte)
            }
        }
        return nil
    }

    /// Skips data such as `Negotiate TlRM==`, which no supported scheme uses.
    private mutating func skipToken68() {
        let start = position
        skipBlanks()
        skip { $0.isToken || $0 == UInt8(ascii: "/") }
        skip { $0 == UInt8(ascii: "=") }
        skipBlanks()
        if let next, next != UInt8(ascii: ",") { position = start }
    }
}

extension HTTPChallenge {
    /// The challenges of these fields, in order. Of a field that breaks the syntax those before the error count.
    package static func challenges(in fields: [String]) -> [HTTPChallenge] {
        var challenges: [HTTPChallenge] = []
        var left = maximumLength
        for field in fields where left > 0 && challenges.count < maximumCount {
            var parser = ChallengeParser(Array(field.utf8.prefix(left)))
            challenges += parser.challenges(atMost: maximumCount - challenges.count)
            left -= field.utf8.count
        }
        return challenges
    }
}
