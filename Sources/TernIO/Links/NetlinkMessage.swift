// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC

/// A message to or from rtnetlink(7): a type, a fixed structure, and attributes. Numbers are in the machine's byte
/// order; everything is padded to four bytes.
struct NetlinkMessage {
    private static let headerSize = 16

    let type: Int
    /// The bytes after the header.
    let payload: [UInt8]

    /// The messages of a datagram, up to the first malformed one.
    static func messages(in datagram: ArraySlice<UInt8>) -> [NetlinkMessage] {
        var rest = datagram
        var messages: [NetlinkMessage] = []
        while rest.count >= headerSize {
            let length = Int(clamping: word(rest, 0))
            guard length >= headerSize, length <= rest.count else { break }
            let payload = Array(rest.dropFirst(headerSize).prefix(length - headerSize))
            messages.append(NetlinkMessage(type: Int(half(rest, 4)), payload: payload))
            rest = rest.dropFirst(padded(length))
        }
        return messages
    }

    /// A request that is answered by one message.
    static func question(_ type: Int, _ payload: [UInt8]) -> [UInt8] {
        bytes(UInt32(headerSize + payload.count)) + bytes(UInt16(type)) + bytes(UInt16(NLM_F_REQUEST))
            + bytes(UInt32(0)) + bytes(UInt32(0)) + payload
    }

    /// An attribute with its padding.
    static func attribute(_ type: Int, _ value: [UInt8]) -> [UInt8] {
        let length = 4 + value.count
        let padding = [UInt8](repeating: 0, count: padded(length) - length)
        return bytes(UInt16(length)) + bytes(UInt16(type)) + value + padding
    }

    /// The value of the first attribute of this type after a structure of `size` bytes.
    func attribute(_ type: Int, behind size: Int) -> ArraySlice<UInt8>? {
        var rest = payload.dropFirst(Self.padded(size))
        while rest.count >= 4 {
            let length = Int(Self.half(rest, 0))
            guard length >= 4, length <= rest.count else { return nil }
            // The two highest bits are flags.
            if Int(Self.half(rest, 2)) & 0x3FFF == type { return rest.dropFirst(4).prefix(length - 4) }
            rest = rest.dropFirst(Self.padded(length))
        }
        return nil
    }

    static func word(_ bytes: ArraySlice<UInt8>, _ offset: Int) -> UInt32 {
        UInt32(half(bytes, offset + (isBigEndian ? 2 : 0))) | UInt32(half(bytes, offset + (isBigEndian ? 0 : 2))) << 16
    }

    private static func half(_ bytes: ArraySlice<UInt8>, _ offset: Int) -> UInt16 {
        guard bytes.count >= offset + 2 else { return 0 }
        let (first, second) = (bytes[bytes.startIndex + offset], bytes[bytes.startIndex + offset + 1])
        return isBigEndian ? UInt16(first) << 8 | UInt16(second) : UInt16(second) << 8 | UInt16(first)
    }

    private static var isBigEndian: Bool { UInt16(1).bigEndian == 1 }

    static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        unsafe withUnsafeBytes(of: number) { unsafe Array($0) }
    }

    private static func padded(_ length: Int) -> Int { (length + 3) & ~3 }
}
