// SPDX-License-Identifier: Apache-2.0
import TernLibC

/// A range of IP addresses with a common prefix, in CIDR notation: `10.0.0.0/8`, `2001:db8::/32` (RFC 4632 §3.1, RFC 4291
/// §2.3).
public struct IPNetwork: Sendable, Hashable, CustomStringConvertible {
    /// The first address.
    public let address: IPAddress
    /// The number of leading bits that all addresses have in common: 0 to 32 for IPv4, 0 to 128 for IPv6.
    public let prefixLength: Int
    private let first: IPAddress.Value
    private let mask: IPAddress.Value

    /// Reads a network: an address, a slash and the length of the prefix. An address alone is a network of one address.
    ///
    /// - Throws: ``InvalidIPNetwork``, also for an address with bits behind the prefix: `10.1.2.3/8` means either
    ///   `10.0.0.0/8` or `10.1.2.3/32`.
    public init(_ text: String) throws(InvalidIPNetwork) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let literal = String(parts[0])
        // A network does not belong to an interface.
        guard !literal.utf8.contains(UInt8(ascii: "%")), let address = IPAddress(literal: literal) else {
            throw .address(text)
        }
        guard parts.count == 2 else {
            try self.init(address, prefixLength: address.bitCount)
            return
        }
        guard let length = Self.number(parts[1].utf8) else { throw .prefixLength(text) }
        try self.init(address, prefixLength: length)
    }

    /// Creates the network that begins at `address`. A network of IPv4-mapped addresses, such as `::ffff:10.0.0.0/104`, is
    /// the IPv4 network.
    public init(_ address: IPAddress, prefixLength: Int) throws(InvalidIPNetwork) {
        guard (0...address.bitCount).contains(prefixLength) else {
            throw .prefixLength("\(address)/\(prefixLength)")
        }
        var (address, length) = (address, prefixLength)
        if let inner = address.mapped, length >= 96 { (address, length) = (inner, length - 96) }
        let mask = Self.mask(length, of: address.bitCount)
        let first = address.value & mask
        guard first == address.value else {
            throw .hostBits("\(address)/\(length)", network: "\(IPAddress(first))/\(length)")
        }
        self.address = IPAddress(first)
        (self.prefixLength, self.first, self.mask) = (length, first, mask)
    }

    /// Whether the address is in the network, whatever its zone. An IPv4-mapped address is in the networks of the IPv4
    /// address, and other IPv4 addresses are in no IPv6 network.
    public func contains(_ address: IPAddress) -> Bool {
        address.value & mask == first || address.mapped.map { $0.value & mask == first } ?? false
    }

    /// `10.0.0.0/8`
    public var description: String { "\(address)/\(prefixLength)" }

    public static func == (left: IPNetwork, right: IPNetwork) -> Bool {
        left.first == right.first && left.prefixLength == right.prefixLength
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(first)
        hasher.combine(prefixLength)
    }

    private static func mask(_ length: Int, of bitCount: Int) -> IPAddress.Value {
        if bitCount == 32 { return IPAddress.Value(isIPv6: false, high: 0, low: UInt64(UInt32.max << (32 - length))) }
        // A shift by 64 leaves no bit.
        return IPAddress.Value(
            isIPv6: true, high: UInt64.max << (64 - min(length, 64)), low: UInt64.max << (64 - max(length - 64, 0)))
    }

    /// At most three digits, without a leading zero.
    private static func number(_ digits: Substring.UTF8View) -> Int? {
        guard (1...3).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0") else { return nil }
        var number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }
}

/// Why a text or an address with a length is no network.
public enum InvalidIPNetwork: Error, Sendable, Hashable, CustomStringConvertible {
    /// The part before the slash is no IPv4 or IPv6 address.
    case address(String)
    /// The part behind the slash is no number that its family allows.
    case prefixLength(String)
    /// The address has bits behind the prefix; `network` is the one that it is in.
    case hostBits(String, network: String)

    /// For example "10.0.0.0/33: the prefix is no number from 0 to 32 (IPv4) or 128 (IPv6)".
    public var description: String {
        switch self {
        case .address(let text): "\(text.prefix(100)): not an IP address, such as 192.0.2.1 or 2001:db8::/32"
        case .prefixLength(let text): "\(text.prefix(100)): the prefix is no number from 0 to 32 (IPv4) or 128 (IPv6)"
        case .hostBits(let text, let network):
            "\(text) has bits behind its prefix: give \(network), or the address alone"
        }
    }
}

extension IPAddress {
    /// The address as a number, which IPv4 has in the low 32 bits.
    package struct Value: Sendable, Hashable {
        package let isIPv6: Bool
        package let high: UInt64
        package let low: UInt64

        package init(isIPv6: Bool, high: UInt64, low: UInt64) {
            (self.isIPv6, self.high, self.low) = (isIPv6, high, low)
        }

        /// Keeps the family of the left one, which the right one has, too, or has no common bit.
        static func & (value: Value, mask: Value) -> Value {
            Value(isIPv6: value.isIPv6, high: value.high & mask.high, low: value.low & mask.low)
        }
    }

    /// The address as a number, without its zone.
    package var value: Value {
        switch storage {
        case .v4(let address): Value(isIPv6: false, high: 0, low: UInt64(UInt32(bigEndian: address)))
        case .v6(let high, let low, _):
            Value(isIPv6: true, high: UInt64(bigEndian: high), low: UInt64(bigEndian: low))
        }
    }

    /// The address of this number.
    package init(_ value: Value) {
        self.init(
            storage: value.isIPv6
                ? .v6(value.high.bigEndian, value.low.bigEndian, scope: 0)
                : .v4(UInt32(truncatingIfNeeded: value.low).bigEndian))
    }

    /// The IPv4 address of these 32 bits.
    package init(v4 bits: UInt32) { self.init(storage: .v4(bits.bigEndian)) }

    /// The address in any spelling that the system's look-up takes for one: as a literal, or IPv4 with fewer parts, octal
    /// or hexadecimal (inet_aton(3)): `0x7f.1`, `2130706433`. Nil for a name.
    package init?(anySpelling text: String) {
        if let literal = IPAddress(literal: text) {
            self = literal
            return
        }
        // inet_aton(3) ignores what follows a blank, and C cuts the text off at a NUL.
        guard !text.utf8.contains(where: { $0 <= UInt8(ascii: " ") }) else { return nil }
        var address = in_addr()
        guard unsafe inet_aton(text, &address) != 0 else { return nil }
        self.init(storage: .v4(address.s_addr))
    }

    /// The IPv4 address within an IPv4-mapped one (RFC 4291 §2.5.5.2).
    package var mapped: IPAddress? {
        let value = value
        guard value.isIPv6, value.high == 0, value.low >> 32 == 0xFFFF else { return nil }
        return IPAddress(v4: UInt32(truncatingIfNeeded: value.low))
    }

    fileprivate var bitCount: Int { isIPv6 ? 128 : 32 }
}
