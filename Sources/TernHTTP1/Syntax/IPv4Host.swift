// SPDX-License-Identifier: Apache-2.0

/// A host whose last label is a number: an IPv4 address in one of its spellings, or no host at all (the URL Standard of
/// WHATWG, "ends in a number checker").
///
/// Resolvers, proxies and other clients read such a text as an address, some of them without the dots at its end. So it
/// gets the usual spelling where a URL is read, before anything compares it, judges it or passes it on.
enum IPv4Host {
    /// The last label is no number.
    case none
    /// - Parameter isUsual: whether the text is four decimal numbers without leading zeros already.
    case address(UInt32, isUsual: Bool)
    /// No address, and so no host.
    case invalid

    /// - Parameter host: without brackets; not an IPv6 address.
    init(_ host: Span<UInt8>) {
        var end = host.count
        while end > 0, host[end &- 1] == Self.dot { end &-= 1 }
        var last = end
        while last > 0, host[last &- 1] != Self.dot { last &-= 1 }
        // A number of any base begins with a digit.
        guard last < end, host[last].isDigit, Self.isNumber(host.extracting(last..<end)) else {
            self = .none
            return
        }
        var (address, count, isUsual, start) = (UInt64(0), UInt64(0), end == host.count, 0)
        while start < end {
            var labelEnd = start
            while labelEnd < end, host[labelEnd] != Self.dot { labelEnd &+= 1 }
            let label = host.extracting(start..<labelEnd)
            count &+= 1
            // The last number fills what the others have left.
            let limit: UInt64 = labelEnd == end ? 1 &<< (8 &* (5 &- count)) : 256
            guard count <= 4, let number = Self.number(label), number < limit else {
                self = .invalid
                return
            }
            if label.count > 1, label[0] == .zero { isUsual = false }
            address |= labelEnd == end ? number : number &<< (8 &* (4 &- count))
            start = labelEnd &+ 1
        }
        self = .address(UInt32(truncatingIfNeeded: address), isUsual: isUsual && count == 4)
    }

    /// The text of an address.
    static func text(_ address: UInt32) -> String {
        "\(address &>> 24).\(address &>> 16 & 0xFF).\(address &>> 8 & 0xFF).\(address & 0xFF)"
    }

    private static var dot: UInt8 { UInt8(ascii: ".") }

    /// Whether only an address can be meant: all digits, or hexadecimal.
    private static func isNumber(_ label: Span<UInt8>) -> Bool {
        let isHexadecimal = hasHexadecimalPrefix(label)
        for index in (isHexadecimal ? 2 : 0)..<label.count
        where isHexadecimal ? label[index].hexadecimalDigit > 15 : !label[index].isDigit { return false }
        return true
    }

    private static func hasHexadecimalPrefix(_ label: Span<UInt8>) -> Bool {
        label.count > 1 && label[0] == .zero && label[1] | 0x20 == UInt8(ascii: "x")
    }

    /// Decimal, with a leading zero octal, with `0x` hexadecimal. Nil for what is no number, and from 2^32 on.
    private static func number(_ label: Span<UInt8>) -> UInt64? {
        if label.isEmpty { return nil }
        let isHexadecimal = hasHexadecimalPrefix(label)
        let base: UInt64 = isHexadecimal ? 16 : label.count > 1 && label[0] == .zero ? 8 : 10
        var number: UInt64 = 0
        for index in (isHexadecimal ? 2 : 0)..<label.count {
            let digit = UInt64(label[index].hexadecimalDigit)
            guard digit < base else { return nil }
            number = number &* base &+ digit
            if number > 0xFFFF_FFFF { return nil }
        }
        return number
    }
}
