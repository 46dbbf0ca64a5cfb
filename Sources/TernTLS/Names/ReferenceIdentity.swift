// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// The name that a server must prove (RFC 9525 §6.1), in the form certificates are compared with.
///
/// Names and addresses are distinct: an address is compared only with `iPAddress` entries, and never sent as SNI. A
/// text that is neither, such as `127.1` or an all-numeric last label, is invalid.
enum ReferenceIdentity: Hashable {
    /// Lower case, no trailing dot.
    case name(String)
    /// An IPv4 or IPv6 literal without brackets and without zone.
    case address(String)

    init?(_ host: String) {
        if host.utf8.contains(UInt8(ascii: ":")) {
            // RFC 6874: the zone selects an interface, and is not part of the name.
            let address = String(host.prefix { $0 != "%" })
            guard Self.isIPv6(address) else { return nil }
            self = .address(address)
        } else if Self.isIPv4(host) {
            self = .address(host)
        } else if let name = Self.canonicalName(host) {
            self = .name(name)
        } else {
            return nil
        }
    }

    /// Labels of 1 to 63 letters, digits, hyphens and underscores; the last one not a number.
    private static func canonicalName(_ host: String) -> String? {
        let name = HostName.canonical(host)
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard name.utf8.count <= 253, labels.allSatisfy({ (1...63).contains($0.count) }),
            let last = labels.last, !last.allSatisfy(isDigit),
            name.utf8.allSatisfy({ isDigit($0) || isLetter($0) || $0 == UInt8(ascii: ".") || isJoiner($0) })
        else { return nil }
        return name
    }

    /// Four decimal numbers up to 255 without leading zeros.
    private static func isIPv4(_ host: String) -> Bool {
        var (parts, digits, value) = (1, 0, 0)
        for byte in host.utf8 {
            if byte == UInt8(ascii: ".") {
                guard digits > 0 else { return false }
                (parts, digits, value) = (parts + 1, 0, 0)
            } else {
                guard isDigit(byte), digits == 0 || value > 0 else { return false }
                (digits, value) = (digits + 1, value * 10 + Int(byte & 0x0f))
                guard value <= 255 else { return false }
            }
        }
        return parts == 4 && digits > 0
    }

    private static func isIPv6(_ host: String) -> Bool {
        guard !host.utf8.contains(0), let bytes = unsafe a2i_IPADDRESS(host) else {
            OpenSSLError.clear()
            return false
        }
        unsafe ASN1_OCTET_STRING_free(bytes)
        return true
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
    private static func isJoiner(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") }
}
