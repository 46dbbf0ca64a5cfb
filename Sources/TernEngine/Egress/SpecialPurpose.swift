// SPDX-License-Identifier: Apache-2.0
public import TernIO

/// Why an address is no server of the public internet: the kinds of IANA's registries of special-purpose addresses (RFC
/// 6890), and those of multicast, cloud metadata and addresses that are not allocated.
public enum SpecialPurpose: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// `0.0.0.0/8` and `::`: this machine, on Linux (RFC 791 §3.2, RFC 4291 §2.5.2).
    case unspecified
    /// `127.0.0.0/8` and `::1`: this machine (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3).
    case loopback
    /// `10.0.0.0/8`, `172.16.0.0/12` and `192.168.0.0/16` (RFC 1918).
    case privateUse = "private"
    /// `100.64.0.0/10`, between a provider and its customers (RFC 6598).
    case shared
    /// `169.254.0.0/16` and `fe80::/10` (RFC 3927, RFC 4291 §2.5.6).
    case linkLocal = "link-local"
    /// The services that tell a virtual machine its credentials, such as `169.254.169.254`; also those at addresses that
    /// look public.
    case cloudMetadata = "cloud-metadata"
    /// `fc00::/7` (RFC 4193).
    case uniqueLocal = "unique-local"
    /// `fec0::/10` (RFC 3879).
    case siteLocal = "site-local"
    /// `224.0.0.0/4` and `ff00::/8` (RFC 5771, RFC 4291 §2.7).
    case multicast
    /// `255.255.255.255` (RFC 919 §7).
    case broadcast
    /// `240.0.0.0/4` (RFC 1112 §4), and IPv6 outside `2000::/3`, of which nothing is allocated to servers.
    case reserved
    /// `192.0.2.0/24`, `198.51.100.0/24`, `203.0.113.0/24`, `2001:db8::/32` and `3fff::/20` (RFC 5737, RFC 3849, RFC
    /// 9637).
    case documentation
    /// `198.18.0.0/15` and `2001:2::/48` (RFC 2544, RFC 5180).
    case benchmarking
    /// `100::/64` and `100:0:0:1::/64` (RFC 6666, RFC 9780).
    case discard
    /// `192.0.0.0/24` and `2001::/23`: protocols of the network itself, some of which end at the nearest device (RFC 6890
    /// §2.2, RFC 2928).
    case protocolAssignment = "protocol-assignment"
    /// `192.88.99.0/24`: the nearest relay of 6to4 (RFC 7526).
    case relay
    /// `2001::/32`: Teredo, a tunnel to an IPv4 address (RFC 4380).
    case teredo
    /// `64:ff9b:1::/48`: IPv4 addresses by translation within a network (RFC 8215).
    case localTranslation = "local-translation"
    /// `5f00::/16`: segments of a network's own routing (RFC 9602).
    case segmentRouting = "segment-routing"

    public var description: String {
        switch self {
        case .unspecified: "an unspecified address, which is this machine"
        case .loopback: "a loopback address, which is this machine"
        case .privateUse: "an address for private use"
        case .shared: "an address that a provider shares among its customers"
        case .linkLocal: "a link-local address"
        case .cloudMetadata: "an address of cloud metadata"
        case .uniqueLocal: "a unique local address"
        case .siteLocal: "a site-local address"
        case .multicast: "a multicast address"
        case .broadcast: "the broadcast address"
        case .reserved: "a reserved address"
        case .documentation: "an address for documentation"
        case .benchmarking: "an address for benchmarks"
        case .discard: "an address whose packets are discarded"
        case .protocolAssignment: "an address of a protocol of the network itself"
        case .relay: "the address of the nearest relay of 6to4"
        case .teredo: "an address of Teredo"
        case .localTranslation: "an address that is translated within the network"
        case .segmentRouting: "an address of segment routing"
        }
    }
}

extension SpecialPurpose {
    /// Returns the purpose of `address`, or of the IPv4 address that it stands for; nil for one of the public internet.
    public init?(_ address: IPAddress) {
        let inner = address.translated ?? address
        let value = inner.value
        let purpose =
            value.isIPv6
            ? Self.ofIPv6(value.high, value.low) : Self.ofIPv4(UInt32(truncatingIfNeeded: value.low))
        guard let purpose else { return nil }
        self = purpose
    }

    private static func ofIPv4(_ address: UInt32) -> SpecialPurpose? {
        switch address {
        // 169.254.169.254: AWS, Azure, Google, Oracle and others; 169.254.170.2: containers of AWS; 168.63.129.16: Azure,
        // at an address that looks public; 100.100.100.200: Alibaba; 192.0.0.192: Oracle.
        case 0xA9FE_A9FE, 0xA9FE_AA02, 0xA83F_8110, 0x6464_64C8, 0xC000_00C0: .cloudMetadata
        case 0x0000_0000...0x00FF_FFFF: .unspecified  // 0.0.0.0/8
        case 0x0A00_0000...0x0AFF_FFFF: .privateUse  // 10.0.0.0/8
        case 0x6440_0000...0x647F_FFFF: .shared  // 100.64.0.0/10
        case 0x7F00_0000...0x7FFF_FFFF: .loopback  // 127.0.0.0/8
        case 0xA9FE_0000...0xA9FE_FFFF: .linkLocal  // 169.254.0.0/16
        case 0xAC10_0000...0xAC1F_FFFF: .privateUse  // 172.16.0.0/12
        case 0xC000_0000...0xC000_00FF: .protocolAssignment  // 192.0.0.0/24
        case 0xC000_0200...0xC000_02FF: .documentation  // 192.0.2.0/24
        case 0xC058_6300...0xC058_63FF: .relay  // 192.88.99.0/24
        case 0xC0A8_0000...0xC0A8_FFFF: .privateUse  // 192.168.0.0/16
        case 0xC612_0000...0xC613_FFFF: .benchmarking  // 198.18.0.0/15
        case 0xC633_6400...0xC633_64FF: .documentation  // 198.51.100.0/24
        case 0xCB00_7100...0xCB00_71FF: .documentation  // 203.0.113.0/24
        case 0xE000_0000...0xEFFF_FFFF: .multicast  // 224.0.0.0/4
        case 0xFFFF_FFFF: .broadcast
        case 0xF000_0000...0xFFFF_FFFE: .reserved  // 240.0.0.0/4
        default: nil
        }
    }

    private static func ofIPv6(_ high: UInt64, _ low: UInt64) -> SpecialPurpose? {
        switch (high, low) {
        case (0, 0): return .unspecified
        case (0, 1): return .loopback
        case (0xFD00_0EC2_0000_0000, 0x254): return .cloudMetadata  // fd00:ec2::254: AWS
        case (0xFD20_00CE_0000_0000, 0x254): return .cloudMetadata  // fd20:ce::254: Google
        case (0xFE80_0000_0000_0000, 0xA9FE_A9FE): return .cloudMetadata  // fe80::a9fe:a9fe: OpenStack
        default: break
        }
        switch high >> 48 {
        // Longer than these 16 bits, and within 2000::/3.
        case 0x2001:
            let second = high >> 32 & 0xFFFF
            switch second {
            case 0: return .teredo  // 2001::/32
            case 2 where high >> 16 & 0xFFFF == 0: return .benchmarking  // 2001:2::/48
            case 0x0DB8: return .documentation  // 2001:db8::/32
            default: return second < 0x200 ? .protocolAssignment : nil  // 2001::/23
            }
        case 0x2000...0x3FFE: return nil
        case 0x3FFF: return high >> 44 == 0x3FFF0 ? .documentation : nil  // 3fff::/20
        case 0x5F00: return .segmentRouting
        case 0xFC00...0xFDFF: return .uniqueLocal
        case 0xFE80...0xFEBF: return .linkLocal
        case 0xFEC0...0xFEFF: return .siteLocal
        case 0xFF00...0xFFFF: return .multicast
        case 0x0100: return high & 0x0000_FFFF_FFFF_FFFE == 0 ? .discard : .reserved  // 100::/64, 100:0:0:1::/64
        case 0x0064: return high >> 16 == 0x0064_FF9B_0001 ? .localTranslation : .reserved  // 64:ff9b:1::/48
        default: return .reserved
        }
    }
}

// Addresses within others
extension IPAddress {
    /// The IPv4 address that this IPv6 address stands for, wherever it is used: IPv4-mapped (RFC 4291 §2.5.5.2),
    /// IPv4-compatible (§2.5.5.1), with the well-known prefix of translators (RFC 6052 §2.1) and of 6to4 (RFC 3056 §2).
    var translated: IPAddress? {
        let value = value
        guard value.isIPv6 else { return nil }
        let last = UInt32(truncatingIfNeeded: value.low)
        switch value.high {
        case 0:
            // :: and ::1 are no IPv4-compatible addresses.
            let isCompatible = value.low >> 32 == 0 && last > 1
            return isCompatible || value.low >> 32 == 0xFFFF ? IPAddress(v4: last) : nil
        case 0x0064_FF9B_0000_0000: return value.low >> 32 == 0 ? IPAddress(v4: last) : nil
        case _ where value.high >> 48 == 0x2002: return IPAddress(v4: UInt32(truncatingIfNeeded: value.high >> 16))
        default: return nil
        }
    }

    /// The IPv4 addresses that this address leads to, or may lead to: the translated one; server and client of Teredo (RFC
    /// 4380 §4); and with a prefix for translation within a network all places that RFC 6052 §2.2 allows.
    var inner: [IPAddress] {
        if let translated { return [translated] }
        let value = value
        guard value.isIPv6 else { return [] }
        let bits: [UInt64]
        if value.high >> 32 == 0x2001_0000 {
            bits = [value.high, ~value.low]
        } else if value.high >> 16 == 0x0064_FF9B_0001 {
            bits = [
                value.low, value.low >> 24, (value.high & 0xFF) << 24 | value.low >> 32 & 0xFF_FFFF,
                (value.high & 0xFFFF) << 16 | value.low >> 40 & 0xFFFF,
            ]
        } else {
            return []
        }
        return bits.map { IPAddress(v4: UInt32(truncatingIfNeeded: $0)) }
    }
}
