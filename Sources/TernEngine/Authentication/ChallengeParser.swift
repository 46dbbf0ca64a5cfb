// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Parses the challenges of one field from left to right (RFC 9110 §11.6.1). Commas separate challenges as well as the
/// parameters of one: a word that no equals sign follows begins the next challenge.
///
/// Servers send what the syntax forbids, and what is wrong with a value ends that value, not the field:
///
/// - A value without quotes ends at the comma, whatever bytes it has. It may be empty.
/// - A quoted string without a closing quote ends at the comma, too. So does one that contains a comma and is closed by
///   the quote that opens a later value: what follows that quote is no separator.
/// - Where the comma between two parameters is missing, the first one ends before the blank.
/// - A parameter whose name is no token is dropped with its value. Other bytes are skipped up to the comma.
struct ChallengeParser {
    private let bytes: [UInt8]
    /// Whether the field has more bytes: what touches the end of these is incomplete, and dropped.
    private let isCut: Bool
    private var position = 0
    private var challenges: [HTTPChallenge] = []
    private var current: HTTPChallenge?

    init(_ bytes: [UInt8], isCut: Bool) { (self.bytes, self.isCut) = (bytes, isCut) }

    mutating func challenges(atMost count: Int) -> [HTTPChallenge] {
        var isListed = true
        // What is skipped counts as well.
        var left = count * (HTTPChallenge.maximumParameterCount + 1)
        while challenges.count < count, left > 0 {
            left -= 1
            if skipSeparators() { isListed = true }
            guard next != nil, parseElement(isListed) else { break }
            isListed = false
        }
        if challenges.count < count { finish() }
        return challenges
    }

    /// Parses a parameter or the beginning of a challenge, or skips what is neither. False if the challenge has too many
    /// parameters.
    ///
    /// - Parameter isListed: whether the element follows a comma, or begins the field.
    private mutating func parseElement(_ isListed: Bool) -> Bool {
        let name = word { !$0.isBlank && $0 != comma && $0 != equals && $0 != quote }
        let (end, isToken) = (position, !name.isEmpty && name.allSatisfy(\.isToken))
        let isWord = !name.isEmpty && next != quote
        skipBlanks()
        if next == equals, current != nil || position == end {
            position += 1
            let value = value()
            return isToken ? append(name, value) : true
        }
        guard isWord, startsParameter || isListed && isToken else {
            skip { $0 != comma }
            return true
        }
        if isListed ? continuesProtections(with: name) : !isToken { return true }
        finish()
        position = end
        if isToken, !isCut || next != nil { current = HTTPChallenge(scheme: Self.lowercased(name)) }
        skipData()
        return true
    }

    /// False if the challenge has too many parameters.
    private mutating func append(_ name: ArraySlice<UInt8>, _ value: [UInt8]) -> Bool {
        guard let count = current?.parameters.count, !isCut || next != nil else { return true }
        guard count < HTTPChallenge.maximumParameterCount else { return false }
        current?.parameters.append(HTTPChallenge.Parameter(name: Self.lowercased(name), bytes: value))
        return true
    }

    /// `qop=auth,auth-int`, a list without quotes: the second word begins no challenge.
    private mutating func continuesProtections(with name: ArraySlice<UInt8>) -> Bool {
        guard let last = current?.parameters.last, last.name == "qop",
            ["auth", "auth-int"].contains(Self.lowercased(name))
        else { return false }
        current?.parameters.removeLast()
        current?.parameters.append(HTTPChallenge.Parameter(name: last.name, bytes: last.bytes + [comma] + name))
        return true
    }

    private mutating func finish() {
        if let finished = current.take() { challenges.append(finished) }
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skip(while isSkipped: (UInt8) -> Bool) {
        while position < bytes.count, isSkipped(bytes[position]) { position += 1 }
    }

    private mutating func skipBlanks() { skip(while: \.isBlank) }

    /// Returns whether there was a comma.
    private mutating func skipSeparators() -> Bool {
        var hasComma = false
        while let next, next == comma || next.isBlank {
            if next == comma { hasComma = true }
            position += 1
        }
        return hasComma
    }

    private mutating func word(where isPart: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = position
        skip(while: isPart)
        return bytes[start..<position]
    }

    /// Whether a parameter with a value begins here: without a comma before it, nothing less is one.
    private var startsParameter: Bool {
        var ahead = self
        guard !ahead.word(where: \.isToken).isEmpty else { return false }
        ahead.skipBlanks()
        guard ahead.next == equals else { return false }
        ahead.position += 1
        ahead.skipBlanks()
        return ahead.next.map { $0.isToken || $0 == quote } ?? false
    }

    /// What follows an equals sign.
    private mutating func value() -> [UInt8] {
        let start = position
        skipBlanks()
        if position > start, startsParameter { return [] }
        guard next == quote else { return unquoted() }
        if let content = quotedString() { return content }
        position += 1
        return unquoted()
    }

    private mutating func unquoted() -> [UInt8] {
        let start = position
        var end = start
        while let next, next != comma {
            if next.isBlank {
                skipBlanks()
                if startsParameter { break }
            } else {
                position += 1
                end = position
            }
        }
        return Array(bytes[start..<end])
    }

    /// RFC 9110 §5.6.4; nil, and nothing is consumed, if it is not terminated.
    private mutating func quotedString() -> [UInt8]? {
        var content: [UInt8] = []
        var index = position + 1
        while index < bytes.count {
            switch bytes[index] {
            case quote:
                if index + 1 < bytes.count, content.contains(comma) {
                    let following = bytes[index + 1]
                    guard following.isBlank || following == comma else { return nil }
                }
                position = index + 1
                return content
            case UInt8(ascii: "\\") where index + 1 < bytes.count:
                index += 1
                content.append(bytes[index])
            case let byte: content.append(byte)
            }
            index += 1
        }
        guard isCut else { return nil }
        position = bytes.count
        return content
    }

    /// Skips data such as `Negotiate TlRM==`, which no supported scheme uses. A name and one equals sign are a parameter
    /// with an empty value.
    private mutating func skipData() {
        let start = position
        skipBlanks()
        let data = word { $0.isToken || $0 == UInt8(ascii: "/") }
        let padding = word { $0 == equals }
        skipBlanks()
        let isParameter = padding.count == 1 && data.allSatisfy(\.isToken)
        if isParameter || next.map({ $0 != comma }) ?? false { position = start }
    }

    private static func lowercased(_ name: ArraySlice<UInt8>) -> String {
        String(decoding: name, as: UTF8.self).lowercased()
    }
}

private let comma = UInt8(ascii: ",")
private let equals = UInt8(ascii: "=")
private let quote = UInt8(ascii: "\"")

extension HTTPChallenge {
    /// The challenges of these fields, in order.
    package static func challenges(in fields: [[UInt8]]) -> [HTTPChallenge] {
        var challenges: [HTTPChallenge] = []
        var left = maximumLength
        for field in fields where left > 0 && challenges.count < maximumCount {
            var parser = ChallengeParser(Array(field.prefix(left)), isCut: field.count > left)
            challenges += parser.challenges(atMost: maximumCount - challenges.count)
            left -= field.count
        }
        return challenges
    }
}

/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110 §11.3).
package struct HTTPChallenge: Sendable, Hashable {
    /// The maximum length of a response's challenges that is read, in bytes, the maximum number of challenges, and that
    /// of the parameters of one: a reactor reads them.
    package static let (maximumLength, maximumCount, maximumParameterCount) = (8_192, 32, 32)

    /// The name of the scheme, in lower case.
    package let scheme: String
    /// The parameters in their order: names in lower case, values without quotes and escapes.
    package internal(set) var parameters: [Parameter] = []

    package struct Parameter: Sendable, Hashable {
        package let name: String
        /// The value: what is sent again has the bytes that were received.
        package let bytes: [UInt8]

        /// The value as text, as ``HeaderField/value``.
        package var value: String { FieldValue(bytes).text }
    }

    init(scheme: String) { self.scheme = scheme }

    /// The value of the first parameter of this name, in lower case, as text; nil if there is none.
    package subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// The same as bytes.
    package func bytes(_ name: String) -> [UInt8]? { parameters.first { $0.name == name }?.bytes }

    /// The same challenge with another value of a parameter that it has.
    func replacing(_ name: String, with bytes: [UInt8]) -> HTTPChallenge {
        var challenge = self
        challenge.parameters = parameters.map { $0.name == name ? Parameter(name: name, bytes: bytes) : $0 }
        return challenge
    }

    /// The realm as text.
    package var realm: String? { self["realm"] }
}
