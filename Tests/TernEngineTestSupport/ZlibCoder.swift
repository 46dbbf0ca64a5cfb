// SPDX-License-Identifier: Apache-2.0
import CTernZlib

@testable import TernEngine

/// What servers do: codings made by zlib itself, and gzip members whose header is put together by hand.
enum ZlibCoder {
    /// `bytes`, wrapped as `format` says.
    static func deflate(
        _ bytes: [UInt8], _ format: Inflater.Format, level: Int32 = 9, strategy: Int32 = Z_DEFAULT_STRATEGY
    ) -> [UInt8] {
        var stream = unsafe z_stream()
        guard unsafe tern_deflateInit2(&stream, level, format.rawValue, strategy) == Z_OK else { return [] }
        defer { unsafe deflateEnd(&stream) }
        let room = unsafe Int(deflateBound(&stream, UInt(bytes.count))) + 64
        return unsafe bytes.withUnsafeBufferPointer { input in
            unsafe Array(unsafeUninitializedCapacity: room) { output, count in
                unsafe stream.next_in = input.baseAddress
                unsafe stream.avail_in = UInt32(input.count)
                unsafe stream.next_out = output.baseAddress
                unsafe stream.avail_out = UInt32(room)
                unsafe _ = CTernZlib.deflate(&stream, Z_FINISH)
                unsafe count = room - Int(stream.avail_out)
            }
        }
    }

    static func gzip(_ bytes: [UInt8]) -> [UInt8] { deflate(bytes, .gzip) }

    static func code(_ bytes: [UInt8], _ codings: [ContentCoding]) -> [UInt8] {
        codings.reduce(bytes) { bytes, coding in
            switch coding {
            case .gzip: deflate(bytes, .gzip)
            case .deflate: deflate(bytes, .zlib)
            #if Brotli
                case .brotli: BrotliCoder.code(bytes)
            #endif
            #if Zstd
                case .zstd: ZstdCoder.code(bytes)
            #endif
            }
        }
    }

    /// A member with what its flags announce (RFC 1952 §2.3.1).
    static func member(_ bytes: [UInt8], flags: UInt8) -> [UInt8] {
        var header: [UInt8] = [0x1F, 0x8B, 8, flags, 1, 2, 3, 4, 2, 3]
        if flags & 4 != 0 { header += [6, 0] + Array("Te\u{2}\u{0}xy".utf8) }
        if flags & 8 != 0 { header += Array("a name.txt".utf8) + [0] }
        if flags & 16 != 0 { header += Array("a comment".utf8) + [0] }
        if flags & 2 != 0 { header += littleEndian(checksum(header)).prefix(2) }
        return header + deflate(bytes, .bare) + littleEndian(checksum(bytes)) + littleEndian(UInt32(bytes.count))
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        unsafe UInt32(crc32(0, bytes, UInt32(bytes.count)))
    }

    private static func littleEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
