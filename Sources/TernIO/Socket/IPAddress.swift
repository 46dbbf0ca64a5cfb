// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC

/// An IPv4 or IPv6 address.
public struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    enum Storage: Sendable, Hashable {
        /// Address in network byte order.
        case v4(UInt32)
        /// The 16 bytes as two words in memory order, and the scope of a link-local address.
        case v6(UInt64, UInt64, scope: UInt32)
    }

    let storage: Storage

    init(storage: Storage) {
        self.storage = storage
    }

    /// Parses an IP literal: dotted IPv4, or IPv6 without brackets, which may have a zone (RFC 4007 §11): the name or the
    /// number of an interface, as in `fe80::1%eth0`. Nil for any other text, and for an interface that does not exist.
    public init?(literal: String) {
        // C would cut the text off there: "127.0.0.1\0.example.com" is not 127.0.0.1.
        if literal.utf8.contains(0) { return nil }
        var v4 = in_addr()
        if unsafe inet_pton(AF_INET, literal, &v4) == 1 {
            self.init(storage: .v4(v4.s_addr))
            return
        }
        let percent = literal.utf8.firstIndex(of: UInt8(ascii: "%"))
        var v6 = in6_addr()
        guard unsafe inet_pton(AF_INET6, percent.map { String(literal[..<$0]) } ?? literal, &v6) == 1 else {
            return nil
        }
        guard let percent else {
            self.init(v6, scope: 0)
            return
        }
        let zone = String(literal[literal.utf8.index(after: percent)...])
        let index = unsafe if_nametoindex(zone)
        guard let scope = index > 0 ? index : UInt32(zone), scope > 0 else { return nil }
        self.init(v6, scope: scope)
    }

    init(_ address: in6_addr, scope: UInt32) {
        let words = unsafe withUnsafeBytes(of: address) { bytes in
            unsafe (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        self.init(storage: .v6(words.0, words.1, scope: scope))
    }

    /// Whether the address has 16 bytes rather than four.
    public var isIPv6: Bool {
        switch storage {
        case .v4: false
        case .v6: true
        }
    }

    /// The four or sixteen bytes, in network byte order.
    package var bytes: [UInt8] {
        switch storage {
        case .v4(let address): unsafe withUnsafeBytes(of: address) { unsafe Array($0) }
        case .v6(let high, let low, _): unsafe withUnsafeBytes(of: (high, low)) { unsafe Array($0) }
        }
    }

    /// The literal in its shortest form, without brackets.
    public var description: String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            let text =
                switch storage {
                case .v4(var address):
                    unsafe inet_ntop(AF_INET, &address, buffer.baseAddress, socklen_t(buffer.count))
                case .v6(let high, let low, _):
                    unsafe withUnsafeBytes(of: (high, low)) { bytes in
                        unsafe inet_ntop(AF_INET6, bytes.baseAddress, buffer.baseAddress, socklen_t(buffer.count))
                    }
                }
            guard let text = unsafe text else { return "?" }  // cannot be: the family is known and the buffer fits
            return unsafe String(cString: text)
        }
    }
}
