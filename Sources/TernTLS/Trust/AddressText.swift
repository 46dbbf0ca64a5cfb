// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// IP addresses in the one spelling RFC 5952 leaves.
enum AddressText {
    /// Nil for what is neither 4 nor 16 octets.
    static func text(_ octets: [UInt8]) -> String? {
        switch octets.count {
        case 4: octets.map(String.init).joined(separator: ".")
        case 16: ipv6(stride(from: 0, to: 16, by: 2).map { UInt16(octets[$0]) << 8 | UInt16(octets[$0 + 1]) })
        default: nil
        }
    }

    /// The address that a text stands for if it is read as leniently as some do: zeros in front, IPv6 in full or in upper
    /// case, IPv4 as one hexadecimal or decimal number. Nil for other texts, and for IPv4 inside IPv6, of which there are
    /// two good spellings.
    static func octets(inAnySpelling text: String) -> [UInt8]? {
        let hasColon = text.utf8.contains(UInt8(ascii: ":"))
        let hasDot = text.utf8.contains(UInt8(ascii: "."))
        if hasColon != hasDot { return octets(readBySSL: text) }
        let isHexadecimal = text.hasPrefix("0x") || text.hasPrefix("0X")
        let number = isHexadecimal ? UInt32(text.dropFirst(2), radix: 16) : UInt32(text)
        return number.map { number in
            stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
        }
    }

    /// Nil for what is no IPv6 address, with or without brackets and zone.
    static func canonicalIPv6(_ text: String) -> String? {
        let bare = text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text[...]
        guard let octets = octets(readBySSL: String(bare.prefix { $0 != "%" })), octets.count == 16 else { return nil }
        return self.text(octets)
    }

    private static func octets(readBySSL text: String) -> [UInt8]? {
        defer { OpenSSLError.clear() }
        guard !text.utf8.contains(0), let octets = unsafe a2i_IPADDRESS(text) else { return nil }
        defer { unsafe ASN1_OCTET_STRING_free(octets) }
        return unsafe Array(
            UnsafeBufferPointer(start: ASN1_STRING_get0_data(octets), count: Int(max(0, ASN1_STRING_length(octets)))))
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
