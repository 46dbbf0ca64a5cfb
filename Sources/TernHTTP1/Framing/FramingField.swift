// SPDX-License-Identifier: Apache-2.0

/// The fields that the decoder interprets.
enum FramingField {
    case contentLength
    case transferEncoding
    case connection
    case keepAlive

    /// Recognised by length first, then by overlapping words of eight letters: this runs for every response.
    @inline(__always)
    init?(_ bytes: Span<UInt8>, _ name: Range<Int>) {
        let start = name.lowerBound
        switch name.count {
        case 10:
            switch (bytes.foldedWord(at: start), bytes.foldedWord(at: start &+ 2)) {
            case (0x6974_6365_6E6E_6F63, 0x6E6F_6974_6365_6E6E): self = .connection  // "connecti" "nnection"
            case (0x696C_612D_7065_656B, 0x6576_696C_612D_7065): self = .keepAlive  // "keep-ali" "ep-alive"
            case _: return nil
            }
        case 14:
            switch (bytes.foldedWord(at: start), bytes.foldedWord(at: start &+ 6)) {
            case (0x2D74_6E65_746E_6F63, 0x6874_676E_656C_2D74): self = .contentLength  // "content-" "t-length"
            case _: return nil
            }
        case 17:
            let last = bytes[start &+ 16] | 0x20
            switch (bytes.foldedWord(at: start), bytes.foldedWord(at: start &+ 8), last) {
            case (0x7265_6673_6E61_7274, 0x6E69_646F_636E_652D, 0x67): self = .transferEncoding  // "transfer-encoding"
            case _: return nil
            }
        case _: return nil
        }
    }

    /// Whether a name of this length may be one of these fields: true for few fields of a usual head.
    @inline(__always)
    static func mayHave(length: UInt32) -> Bool {
        let lengths: UInt32 = 1 << 10 | 1 << 14 | 1 << 17
        return lengths &>> length & 1 == 1 && length < 32
    }

    /// Whether the field frames the content.
    static func isFraming(_ name: Span<UInt8>) -> Bool {
        switch FramingField(name, 0..<name.count) {
        case .contentLength, .transferEncoding: true
        case .connection, .keepAlive, nil: false
        }
    }
}
