// SPDX-License-Identifier: Apache-2.0

/// RFC 3986 §2.1.
enum PercentEncoding {
    /// Nil if a `%` is not followed by two hexadecimal digits.
    static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var octets: [UInt8] = []
        var rest = text
        while let octet = rest.popFirst() {
            guard octet == UInt8(ascii: "%") else {
                octets.append(octet)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            octets.append(high << 4 | low)
        }
        return octets
    }

    private static func digit(_ octet: UInt8) -> UInt8? {
        switch octet {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): octet - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): octet - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): octet - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
