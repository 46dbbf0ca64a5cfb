// SPDX-License-Identifier: Apache-2.0

/// The spelling in which hosts are compared.
enum HostName {
    /// Lower case in ASCII and without one trailing dot. Letters outside ASCII stay: Unicode would turn the Kelvin sign
    /// into a `k`, and one host into another. IPv6 has many spellings, with and without brackets and zone, and becomes
    /// the one of RFC 5952, and IPv4 inside IPv6 (`::ffff:127.0.0.1`) the IPv4 that it connects to: a policy cannot be
    /// avoided by another spelling of its host.
    static func canonical(_ host: String) -> String {
        if host.utf8.contains(UInt8(ascii: ":")), let address = AddressText.canonicalIPv6(host) {
            return AddressText.bytes(parsing: address).first.flatMap(AddressText.text) ?? address
        }
        var bytes = host.utf8.map { byte in
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
