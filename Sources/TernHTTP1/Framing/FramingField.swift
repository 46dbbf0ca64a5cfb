// SPDX-License-Identifier: Apache-2.0

/// The fields a decoder must understand itself; every other one is the user's.
enum FramingField {
    case contentLength
    case transferEncoding
    case connection
    case keepAlive

    /// Told by length first: of a usual head's names only one or two get past the switch.
    @inline(__always)
    init?(_ bytes: Span<UInt8>, _ name: Range<Int>) {
        switch name.count {
        case 10 where Self.matches(bytes, name, "connection"): self = .connection
        case 10 where Self.matches(bytes, name, "keep-alive"): self = .keepAlive
        case 14 where Self.matches(bytes, name, "content-length"): self = .contentLength
        case 17 where Self.matches(bytes, name, "transfer-encoding"): self = .transferEncoding
        case _: return nil
        }
    }

    /// Whether the field says where the content ends.
    static func isFraming(_ name: Span<UInt8>) -> Bool {
        switch FramingField(name, 0..<name.count) {
        case .contentLength, .transferEncoding: true
        case .connection, .keepAlive, nil: false
        }
    }

    private static func matches(_ bytes: Span<UInt8>, _ name: Range<Int>, _ lowercased: String) -> Bool {
        bytes.extracting(name).isEqualIgnoringCase(to: lowercased.utf8.span)
    }
}
