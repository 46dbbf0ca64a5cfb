// SPDX-License-Identifier: Apache-2.0
// Safety: a payload is masked inside `withUnsafeMutableBytes`, between its own bounds.

/// A frame (RFC 6455 §5.2): one that a client has sent, or one to send, valid or not.
public struct WebSocketFrame: Sendable, Equatable {
    /// What a frame is, in four bits.
    public struct Opcode: RawRepresentable, Sendable, Hashable, ExpressibleByIntegerLiteral {
        /// 0–15; higher bits are not sent.
        public let rawValue: UInt8

        /// Creates any opcode, also a reserved one.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Creates any opcode, also a reserved one.
        public init(integerLiteral value: UInt8) { rawValue = value }

        /// A further fragment of a message.
        public static let continuation: Self = 0
        /// A text message, or its first fragment.
        public static let text: Self = 1
        /// A binary message, or its first fragment.
        public static let binary: Self = 2
        /// The last frame of its sender.
        public static let close: Self = 8
        /// To be answered with a pong.
        public static let ping: Self = 9
        /// An answer to a ping, or unsolicited.
        public static let pong: Self = 10

        var isControl: Bool { rawValue & 8 != 0 }
    }

    /// How the payload's length is written.
    public enum LengthForm: Sendable {
        /// In the frame's second byte.
        case sevenBits
        /// As 126 and two bytes.
        case sixteenBits
        /// As 127 and eight bytes.
        case sixtyFourBits

        /// The only form that may stand for the length.
        static func shortest(for length: UInt64) -> Self {
            length < 126 ? .sevenBits : length <= UInt16.max ? .sixteenBits : .sixtyFourBits
        }
    }

    /// What the frame is.
    public var opcode: Opcode
    /// Without the mask.
    public var payload: [UInt8]
    /// Whether it is the last of its message (FIN).
    public var isFinal: Bool
    /// RSV1 is 4, RSV2 is 2, RSV3 is 1.
    public var reserved: UInt8
    /// The masking key, whose first byte is the most significant; nil without a mask, as a server's frames must be.
    public var mask: UInt32?
    /// The length that the frame declares, if it is not the payload's.
    public var declaredLength: UInt64?
    /// The form of the length, if it is not the shortest. A length is cut to its form.
    public var lengthForm: LengthForm?

    /// Creates a frame, by default as a server sends a message in one.
    public init(
        _ opcode: Opcode, _ payload: [UInt8] = [], isFinal: Bool = true, reserved: UInt8 = 0, mask: UInt32? = nil,
        declaredLength: UInt64? = nil, lengthForm: LengthForm? = nil
    ) {
        (self.opcode, self.payload, self.isFinal, self.reserved) = (opcode, payload, isFinal, reserved)
        (self.mask, self.declaredLength, self.lengthForm) = (mask, declaredLength, lengthForm)
    }

    /// The frame as it is sent.
    var encoded: [UInt8] {
        let length = declaredLength ?? UInt64(payload.count)
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        var bytes = [(isFinal ? 0x80 : 0) | (reserved & 7) << 4 | (opcode.rawValue & 15)]
        switch lengthForm ?? .shortest(for: length) {
        case .sevenBits: bytes.append(maskBit | UInt8(truncatingIfNeeded: length) & 0x7F)
        case .sixteenBits: bytes += [maskBit | 126] + Self.bytes(length, count: 2)
        case .sixtyFourBits: bytes += [maskBit | 127] + Self.bytes(length, count: 8)
        }
        guard let mask else { return bytes + payload }
        var masked = payload
        Self.apply(mask, to: &masked)
        return bytes + Self.bytes(UInt64(mask), count: 4) + masked
    }

    /// The last bytes of the number, the most significant first.
    private static func bytes(_ number: UInt64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - $0))) }
    }

    /// Masks, or removes the mask. Eight bytes at a time, and by pointers that cost no call in a debug build: a test may
    /// send 100 MB.
    static func apply(_ mask: UInt32, to payload: inout [UInt8]) {
        let wideMask = (UInt64(mask) << 32 | UInt64(mask)).bigEndian
        unsafe payload.withUnsafeMutableBytes { buffer in
            guard var cursor = buffer.baseAddress else { return }
            let end = unsafe cursor + buffer.count
            while unsafe end - cursor >= 8 {
                let word = unsafe cursor.loadUnaligned(as: UInt64.self)
                unsafe cursor.storeBytes(of: word ^ wideMask, as: UInt64.self)
                unsafe cursor += 8
            }
            var shift: UInt32 = 24
            while unsafe cursor < end {
                let byte = unsafe cursor.load(as: UInt8.self)
                unsafe cursor.storeBytes(of: byte ^ UInt8(truncatingIfNeeded: mask >> shift), as: UInt8.self)
                unsafe cursor += 1
                shift = (shift &- 8) & 31
            }
        }
    }
}

extension WebSocketFrame: CustomStringConvertible {
    /// What differs from a final frame, and the beginning of the payload: what a failed test prints may hold megabytes.
    public var description: String {
        var parts = ["opcode \(opcode.rawValue)"]
        if !isFinal { parts.append("not final") }
        if reserved != 0 { parts.append("reserved \(reserved)") }
        if let mask { parts.append("mask \(String(mask, radix: 16))") }
        if let declaredLength { parts.append("length \(declaredLength)") }
        if let lengthForm { parts.append("\(lengthForm)") }
        return "frame(\(parts.joined(separator: ", ")), \(OriginStep.describe(payload)))"
    }
}
