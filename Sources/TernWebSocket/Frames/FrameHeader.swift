// SPDX-License-Identifier: Apache-2.0
import TernEngine

/// What comes before the payload of a frame (RFC 6455 §5.2).
struct FrameHeader: Sendable, Hashable {
    /// What a frame is.
    enum Opcode: UInt8, Sendable, Hashable, CaseIterable {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        var isControl: Bool { rawValue >= 8 }
    }

    /// The maximum length of a header, in bytes.
    static let maximumSize = 14
    /// The maximum payload of a control frame, in bytes (RFC 6455 §5.5).
    static let maximumControlPayload = 125

    /// Whether the frame ends its message.
    var isFinal: Bool
    /// RSV1: the message is compressed (RFC 7692 §6).
    var isCompressed: Bool
    var opcode: Opcode
    /// The masking key, its first byte in the lowest bits.
    var mask: UInt32?
    /// The length of the payload in bytes.
    var length: Int

    init(_ opcode: Opcode, isFinal: Bool = true, isCompressed: Bool = false, mask: UInt32?, length: Int) {
        (self.opcode, self.isFinal, self.isCompressed) = (opcode, isFinal, isCompressed)
        (self.mask, self.length) = (mask, length)
    }
}

extension FrameHeader {
    /// The length of the header that begins with these bytes; at least two are needed to know it.
    static func size(of bytes: Span<UInt8>) -> Int {
        if bytes.count < 2 { return 2 }
        let extended =
            switch bytes[1] & 0x7F {
            case 126: 2
            case 127: 8
            default: 0
            }
        return 2 + extended + (bytes[1] & 0x80 != 0 ? 4 : 0)
    }

    /// Reads a whole header of a server, which masks nothing.
    ///
    /// - Parameter allowsCompression: whether RSV1 has a meaning.
    init(_ bytes: Span<UInt8>, allowsCompression: Bool) throws(WebSocketViolation) {
        guard bytes.count >= Self.size(of: bytes) else { throw .length }
        isFinal = bytes[0] & 0x80 != 0
        guard let opcode = Opcode(rawValue: bytes[0] & 0x0F) else { throw .opcode }
        self.opcode = opcode
        isCompressed = bytes[0] & 0x40 != 0
        // The first frame of a message tells it for all (RFC 7692 §6.1).
        let mayBeCompressed = allowsCompression && (opcode == .text || opcode == .binary)
        if bytes[0] & 0x30 != 0 || isCompressed && !mayBeCompressed { throw .reservedBit }
        if bytes[1] & 0x80 != 0 { throw .mask }
        let short = Int(bytes[1] & 0x7F)
        if opcode.isControl {
            if !isFinal { throw .fragmentedControlFrame }
            if short > Self.maximumControlPayload { throw .controlFrameTooLong }
        }
        switch short {
        case 126:
            length = Int(bytes[2]) << 8 | Int(bytes[3])
            if length < 126 { throw .length }
        case 127:
            var long: UInt64 = 0
            for index in 2..<10 { long = long << 8 | UInt64(bytes[index]) }
            guard long > 0xFFFF, let whole = Int(exactly: long) else { throw .length }
            length = whole
        default: length = short
        }
        mask = nil
    }

    /// Writes the header in its shortest form.
    func write(to output: inout OutputSpan<UInt8>) {
        output.append((isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue)
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        switch length {
        case ..<126: output.append(maskBit | UInt8(truncatingIfNeeded: length))
        case ..<0x1_0000:
            output.append(maskBit | 126)
            for shift in [8, 0] { output.append(UInt8(truncatingIfNeeded: length >> shift)) }
        default:
            output.append(maskBit | 127)
            for shift in stride(from: 56, through: 0, by: -8) {
                output.append(UInt8(truncatingIfNeeded: length >> shift))
            }
        }
        if let mask {
            for shift in stride(from: UInt32(0), through: 24, by: 8) {
                output.append(UInt8(truncatingIfNeeded: mask >> shift))
            }
        }
    }
}
