// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import TernSystem

/// The normalised form in which hosts are compared.
package enum HostName {
    /// Lower case in ASCII and without one trailing dot. Letters outside ASCII are unchanged: Unicode would turn the
    /// Kelvin sign into a `k`, and one host into another. IPv6, with or without brackets and zone, takes the form of
    /// RFC 5952, and IPv4 inside IPv6 (`::ffff:127.0.0.1`) becomes the IPv4 address that it connects to: no other way
    /// to write a host avoids its policy.
    package static func canonical(_ host: String) -> String {
        // The dot first: what is left of ":." would be read as an address the next time.
        if host.utf8.contains(UInt8(ascii: ":")),
            let address = AddressText.canonicalIPv6(host.hasSuffix(".") ? String(host.dropLast()) : host)
        {
            return AddressText.bytes(parsing: address).first.flatMap(AddressText.text) ?? address
        }
        var bytes = host.utf8.map { byte in
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The same of a host that a program names, or of a pattern `*.` or `**.` of hosts: one beyond ASCII takes its form in
    /// DNS, in which hosts are requested. Not for the names in certificates, which have that form already.
    static func canonical(pattern: String) -> String {
        if pattern.utf8.allSatisfy({ $0 < 0x80 }) { return canonical(pattern) }
        let name = pattern.drop { $0 == "*" || $0 == "." }
        return canonical(String(pattern[..<name.startIndex]) + InternationalizedNames.inDNS(String(name)))
    }
}

/// IP addresses in the canonical form of RFC 5952.
enum AddressText {
    /// Nil for a count other than 4 and 16 bytes.
    static func text(_ bytes: [UInt8]) -> String? {
        switch bytes.count {
        case 4: bytes.map(String.init).joined(separator: ".")
        case 16: ipv6(stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) })
        default: nil
        }
    }

    /// The addresses that a lenient reader may find in a text: IPv6 in brackets, in full or in upper case, IPv4 in one
    /// to four numbers of any base, or inside IPv6. None for other texts.
    static func bytes(parsing text: String) -> [[UInt8]] {
        if text.utf8.contains(UInt8(ascii: ":")) { return bytes(parsingIPv6: text) }
        // A leading zero is ignored by some readers, and means octal to others; some read any number as hexadecimal.
        return [nil, 10, 16].compactMap { base in bytes(ofNumbers: text, base) }
    }

    private static func bytes(parsingIPv6 text: String) -> [[UInt8]] {
        let bare = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
        guard let bytes = bytes(readBySSL: bare) else { return [] }
        if bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff] { return [Array(bytes.suffix(4))] }
        // There are two valid forms of other addresses that contain IPv4.
        return bare.utf8.contains(UInt8(ascii: ".")) ? [] : [bytes]
    }

    /// Reads numbers between dots as inet_aton(3) does: the last one fills the rest of the 32 bits.
    ///
    /// - Parameter base: the base of numbers that do not begin with `0x`; nil for 8 after a zero, else 10.
    private static func bytes(ofNumbers text: String, _ base: Int?) -> [UInt8]? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let numbers = parts.prefix(5).compactMap { part -> UInt32? in
            let digits = String(decoding: part, as: UTF8.self)
            guard digits.first?.isHexDigit == true else { return nil }
            if digits.hasPrefix("0x") || digits.hasPrefix("0X") { return UInt32(digits.dropFirst(2), radix: 16) }
            return UInt32(digits, radix: base ?? (digits.hasPrefix("0") ? 8 : 10))
        }
        guard let last = numbers.last, numbers.count == parts.count, numbers.count <= 4 else { return nil }
        let first = numbers.dropLast()
        guard first.allSatisfy({ $0 <= 0xff }), UInt64(last) < 1 << (8 * (4 - first.count)) else { return nil }
        let rest = (0..<(4 - first.count)).reversed().map { UInt8(truncatingIfNeeded: last >> ($0 * 8)) }
        return first.map { UInt8(truncatingIfNeeded: $0) } + rest
    }

    /// Nil for a text that is not an IPv6 address, with or without brackets and zone.
    static func canonicalIPv6(_ text: String) -> String? {
        let bare = text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text[...]
        guard let bytes = bytes(readBySSL: String(bare.prefix { $0 != "%" })), bytes.count == 16 else { return nil }
        return self.text(bytes)
    }

    private static func bytes(readBySSL text: String) -> [UInt8]? {
        defer { OpenSSLError.clear() }
        guard !text.utf8.contains(0), let bytes = unsafe a2i_IPADDRESS(text) else { return nil }
        defer { unsafe ASN1_OCTET_STRING_free(bytes) }
        return unsafe Array(
            UnsafeBufferPointer(start: ASN1_STRING_get0_data(bytes), count: Int(max(0, ASN1_STRING_length(bytes)))))
    }

    /// The longest run of two or more zeros, the first of several, becomes `::`.
    private static func ipv6(_ groups: [UInt16]) -> String {
        var longest = 0..<0
        var start = 0
        for (index, group) in groups.enumerated() {
            if group != 0 { start = index + 1 }
            if index + 1 - start > max(1, longest.count) { longest = start..<(index + 1) }
        }
        func text(_ part: ArraySlice<UInt16>) -> String {
            part.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard !longest.isEmpty else { return text(groups[...]) }
        return text(groups[..<longest.lowerBound]) + "::" + text(groups[longest.upperBound...])
    }
}
