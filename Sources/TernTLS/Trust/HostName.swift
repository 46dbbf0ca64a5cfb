// SPDX-License-Identifier: Apache-2.0

/// The spelling in which hosts are compared.
enum HostName {
    /// Lower case in ASCII and without one trailing dot. Letters outside ASCII stay: Unicode would turn the Kelvin sign
    /// into a `k`, and one host into another.
    static func canonical(_ host: String) -> String {
        var bytes = host.utf8.map { byte in
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
