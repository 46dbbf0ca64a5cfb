// SPDX-License-Identifier: Apache-2.0

/// Checks whether bytes are UTF-8 as they come, piece by piece: a piece may end within a character (RFC 3629).
struct UTF8Check: Sendable {
    /// How many bytes the character lacks, and between which the next one must be.
    private var missing = 0
    private var least: UInt8 = 0x80
    private var most: UInt8 = 0xBF

    init() {}

    /// Whether the last character is whole.
    var isComplete: Bool { missing == 0 }

    /// False as soon as a byte cannot be part of UTF-8.
    mutating func take(_ bytes: Span<UInt8>) -> Bool {
        unsafe bytes.withUnsafeBytes { bytes in
            var index = 0
            while index < bytes.count {
                if missing == 0 {
                    index = unsafe Self.endOfASCII(in: bytes, from: index)
                    if index == bytes.count { break }
                    guard begin(unsafe bytes[index]) else { return false }
                } else {
                    let byte = unsafe bytes[index]
                    guard byte >= least, byte <= most else { return false }
                    (least, most) = (0x80, 0xBF)
                    missing &-= 1
                }
                index &+= 1
            }
            return true
        }
    }

    /// Begins a character of several bytes: the second byte tells overlong forms, surrogates and what is above U+10FFFF.
    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, least) = (2, 0xA0)
        case 0xED: (missing, most) = (2, 0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, least) = (3, 0x90)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, most) = (3, 0x8F)
        default: return false
        }
        return true
    }

    @unsafe private static func endOfASCII(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        while index &+ 32 <= bytes.count {
            let value = unsafe bytes.loadUnaligned(fromByteOffset: index, as: SIMD4<UInt64>.self)
            if value & SIMD4(repeating: 0x8080_8080_8080_8080) != SIMD4(repeating: 0) { break }
            index &+= 32
        }
        while index < bytes.count, unsafe bytes[index] < 0x80 { index &+= 1 }
        return index
    }
}
