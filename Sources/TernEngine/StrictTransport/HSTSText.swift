// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO
import TernSystem
import TernTLS

/// A host that is requested over TLS only (RFC 6797 §5.3).
struct KnownHost: Sendable, Equatable {
    /// As trust compares hosts.
    let name: String
    let includesSubdomains: Bool
    /// In seconds since 1970-01-01T00:00:00Z; `Int64.max` for no end.
    let expires: Int64

    /// Nil for an address, which RFC 6797 §8.1.1 leaves out, and for what is no name of a host.
    init?(name: String, includesSubdomains: Bool, expires: Int64) {
        let canonical = HostName.canonical(name)
        let labels = canonical.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.allSatisfy({ !$0.isEmpty }), canonical.utf8.count <= 253,
            canonical.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }),
            canonical.utf8.first != UInt8(ascii: "#"),
            IPAddress(literal: canonical) == nil
        else { return nil }
        (self.name, self.includesSubdomains, self.expires) = (canonical, includesSubdomains, expires)
    }
}

/// The value of a `Strict-Transport-Security` field (RFC 6797 §6.1).
struct StrictTransportSecurity: Equatable {
    /// In seconds; 0 ends what was said before. `Int64.max` also for more than that.
    let maxAge: Int64
    let includesSubdomains: Bool

    /// The maximum length of a value, in bytes.
    private static let maximumLength = 1024

    /// Nil for a longer value, for one without `max-age`, with a directive that is repeated, or that does not follow the grammar. Unknown
    /// directives are ignored.
    init?(_ field: [UInt8]) {
        if field.count > Self.maximumLength { return nil }
        var (rest, names, maxAge, includesSubdomains) = (field[...], Set<String>(), Int64?.none, false)
        while true {
            rest = rest.drop { $0.isBlank || $0 == UInt8(ascii: ";") }
            if rest.isEmpty { break }
            guard let (name, value) = Self.directive(&rest), names.insert(name).inserted else { return nil }
            switch name {
            case "max-age":
                guard let value, let seconds = Self.seconds(value) else { return nil }
                maxAge = seconds
            case "includesubdomains":
                if value != nil { return nil }
                includesSubdomains = true
            default: break
            }
        }
        guard let maxAge else { return nil }
        (self.maxAge, self.includesSubdomains) = (maxAge, includesSubdomains)
    }

    /// Takes a directive and the blanks behind it: its name in lower case, and its value without quotes.
    private static func directive(_ rest: inout ArraySlice<UInt8>) -> (name: String, value: [UInt8]?)? {
        let name = rest.prefix(while: \.isToken)
        if name.isEmpty { return nil }
        rest = rest.dropFirst(name.count).drop(while: \.isBlank)
        var value: [UInt8]?
        if rest.first == UInt8(ascii: "=") {
            rest = rest.dropFirst().drop(while: \.isBlank)
            value = rest.first == UInt8(ascii: "\"") ? quoted(&rest) : token(&rest)
            if value == nil { return nil }
            rest = rest.drop(while: \.isBlank)
        }
        guard rest.isEmpty || rest.first == UInt8(ascii: ";") else { return nil }
        return (String(decoding: name, as: UTF8.self).lowercased(), value)
    }

    private static func token(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        let token = rest.prefix(while: \.isToken)
        rest = rest.dropFirst(token.count)
        return token.isEmpty ? nil : Array(token)
    }

    private static func quoted(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        var (value, isEscaped) = ([UInt8](), false)
        rest = rest.dropFirst()
        while let byte = rest.popFirst() {
            if isEscaped {
                value.append(byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                return value
            } else {
                value.append(byte)
            }
        }
        return nil
    }

    private static func seconds(_ digits: [UInt8]) -> Int64? {
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(String(decoding: digits, as: UTF8.self)) ?? .max
    }
}

/// The content of a file of hosts, in the format of curl: `host "20271231 23:59:59"`, with a dot before a host whose
/// subdomains are included, and `"unlimited"` for no end. A line that is none spoils nothing but itself, and is kept.
struct HSTSText {
    private static let header = Array(
        "# Hosts that are requested over TLS only (RFC 6797), in the format of curl.\n".utf8)
    private static let lineFeed = UInt8(ascii: "\n")

    /// In the order of the file, those that have ended included.
    private(set) var hosts: [KnownHost] = []
    /// The lines that are no hosts, comments included, each with its end.
    private(set) var otherLines: [UInt8] = []
    /// The number of lines that are no hosts and should be.
    private(set) var skippedLineCount = 0
    /// The first of them, counted from 1; 0 without one.
    private(set) var firstSkippedLine = 0

    init(_ bytes: [UInt8]) {
        var (rest, number) = (bytes.withoutByteOrderMark, 0)
        while !rest.isEmpty {
            let line = rest.prefix { $0 != Self.lineFeed }
            rest = rest.dropFirst(line.count + 1)
            number += 1
            read(line, number)
        }
    }

    private mutating func read(_ line: ArraySlice<UInt8>, _ number: Int) {
        let text = Self.trimmed(line)
        if let host = Self.host(text) { return hosts.append(host) }
        otherLines += line + [Self.lineFeed]
        if text.isEmpty || text.first == UInt8(ascii: "#") { return }
        skippedLineCount += 1
        if firstSkippedLine == 0 { firstSkippedLine = number }
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = line.drop { $0 <= 0x20 }
        while let last = text.last, last <= 0x20 { text.removeLast() }
        return text
    }

    private static func host(_ line: ArraySlice<UInt8>) -> KnownHost? {
        let word = line.prefix { $0 > 0x20 }
        let date = line.dropFirst(word.count).drop { $0 <= 0x20 }
        let quote = UInt8(ascii: "\"")
        guard date.count > 2, date.first == quote, date.last == quote,
            let expires = seconds(String(decoding: date.dropFirst().dropLast(), as: UTF8.self))
        else { return nil }
        let includesSubdomains = word.first == UInt8(ascii: ".")
        return KnownHost(
            name: String(decoding: includesSubdomains ? word.dropFirst() : word, as: UTF8.self),
            includesSubdomains: includesSubdomains, expires: expires)
    }

    /// The content of a file with these hosts, after the lines of another file that are none.
    static func bytes(of hosts: some Sequence<KnownHost>, after lines: [UInt8] = []) -> [UInt8] {
        var bytes = lines.isEmpty ? header : lines
        for host in hosts {
            let date = text(of: host.expires)
            bytes += Array("\(host.includesSubdomains ? "." : "")\(host.name) \"\(date)\"\n".utf8)
        }
        return bytes
    }

    private static func seconds(_ text: String) -> Int64? {
        // A zone may lead out of the calendar, and such a date cannot be written.
        text == "unlimited" ? .max : HTTPDate.seconds(text).flatMap { HTTPDate.Parts(seconds: $0)?.seconds }
    }

    /// `YYYYMMDD HH:MM:SS`, in GMT.
    private static func text(of seconds: Int64) -> String {
        guard let parts = HTTPDate.Parts(seconds: seconds) else { return "unlimited" }
        let digits = { (number: Int64) in (number < 10 ? "0" : "") + String(number) }
        let year = String(repeating: "0", count: max(0, 4 - String(parts.year).count)) + String(parts.year)
        return "\(year)\(digits(parts.month))\(digits(parts.day)) "
            + "\(digits(parts.hour)):\(digits(parts.minute)):\(digits(parts.second))"
    }
}
