// SPDX-License-Identifier: Apache-2.0

/// The mask of one frame (RFC 6455 §5.3): the same operation masks and unmasks.
struct Masking: Sendable {
    /// The key for the next byte, which is the first in memory.
    private var key: UInt32

    /// - Parameter key: its first byte is in the lowest bits, as in ``FrameHeader/mask``.
    init(_ key: UInt32) { self.key = key }

    /// Appends the first bytes of `bytes`, masked, as far as there is room, and returns how many.
    mutating func append(_ bytes: Span<UInt8>, to output: inout OutputSpan<UInt8>) -> Int {
        let count = min(bytes.count, output.freeCapacity)
        let key = UInt64(key.littleEndian) << 32 | UInt64(key.littleEndian)
        unsafe bytes.withUnsafeBytes { source in
            unsafe output.withUnsafeMutableBufferPointer { target, written in
                let target = UnsafeMutableRawBufferPointer(target)
                unsafe Self.copy(source, to: UnsafeMutableRawBufferPointer(rebasing: target[written...]), count, key)
                written += count
            }
        }
        advance(count)
        return count
    }

    private mutating func advance(_ count: Int) {
        let bits = UInt32(truncatingIfNeeded: count & 3) * 8
        key = key >> bits | key << ((32 - bits) & 31)
    }

    /// Safety: both buffers have at least `count` bytes.
    @unsafe private static func copy(
        _ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer, _ count: Int, _ key: UInt64
    ) {
        let wide = SIMD8<UInt64>(repeating: key)
        var index = 0
        while index &+ 64 <= count {
            let value = unsafe source.loadUnaligned(fromByteOffset: index, as: SIMD8<UInt64>.self)
            unsafe target.storeBytes(of: value ^ wide, toByteOffset: index, as: SIMD8<UInt64>.self)
            index &+= 64
        }
        while index &+ 8 <= count {
            let value = unsafe source.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            unsafe target.storeBytes(of: value ^ key, toByteOffset: index, as: UInt64.self)
            index &+= 8
        }
        while index < count {
            let byte = UInt8(truncatingIfNeeded: key.littleEndian >> (8 * UInt64(index & 3)))
            unsafe target[index] = source[index] ^ byte
            index &+= 1
        }
    }
}
