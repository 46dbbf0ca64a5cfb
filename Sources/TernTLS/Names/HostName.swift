// SPDX-License-Identifier: Apache-2.0

/// The normalised form in which hosts are compared.
package enum HostName {
    /// Lower case in ASCII and without one trailing dot. Letters outside ASCII are unchanged: Unicode would turn the
    /// Kelvin sign into a `k`, and one host into another. IPv6, with or without brackets and zone, takes the form of
    /// RFC 5952, and IPv4 inside IPv6 (`::ffff:127.0.0.1`) becomes the IPv4 address that it connects to: no other way
    /// to write a host avoids its policy.
    package static func canonical(_ host: String) -> String {
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
