// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Encodes content: one stream. Each call is bounded by its input and by the room.
protocol StreamEncoder: ~Copyable {
    /// True once all input is consumed and `flush` is done; before that there must be more room.
    mutating func encode(
        _ bytes: Span<UInt8>, from offset: inout Int, into output: inout OutputSpan<UInt8>, _ flush: Deflater.Flush
    ) throws(ContentDecodingError) -> Bool
}

extension Deflater: StreamEncoder {
    mutating func encode(
        _ bytes: Span<UInt8>, from offset: inout Int, into output: inout OutputSpan<UInt8>, _ flush: Flush
    ) -> Bool {
        deflate(bytes, from: &offset, into: &output, flush)
    }
}

/// Encodes content with the library of its coding.
struct ContentEncoder: ~Copyable {
    private var encoder: any StreamEncoder & ~Copyable

    /// Throws if there is no memory for it.
    init(_ compression: ContentCompression) throws(ContentDecodingError) {
        switch compression.coding {
        case .gzip: encoder = try Deflater(.gzip, level: compression.level)
        case .deflate: encoder = try Deflater(.zlib, level: compression.level)
        #if Brotli
            case .brotli: encoder = try BrotliEncoder(quality: compression.level)
        #endif
        #if Zstd
            case .zstd: encoder = try ZstdEncoder(level: compression.level)
        #endif
        }
    }

    /// Encodes the rest of `data` and `flush`, into at most `count` bytes. Returns these, and whether all is done.
    mutating func encode(
        _ data: Data, from offset: inout Int, atMost count: Int, _ flush: Deflater.Flush
    ) throws(ContentDecodingError) -> (bytes: [UInt8], isDone: Bool) {
        var result: Result<Bool, ContentDecodingError> = .success(false)
        let bytes = [UInt8](capacity: count) { output in
            do throws(ContentDecodingError) {
                result = .success(try encoder.encode(data.span, from: &offset, into: &output, flush))
            } catch {
                result = .failure(error)
            }
        }
        return (bytes, try result.get())
    }

    /// All of `data` in the coding.
    static func encode(_ data: Data, _ compression: ContentCompression) throws(ContentDecodingError) -> Data {
        var encoder = try ContentEncoder(compression)
        var (offset, coded, isDone) = (0, Data(), false)
        while !isDone {
            let part = try encoder.encode(data, from: &offset, atMost: data.count + 1024, .finish)
            coded += part.bytes
            isDone = part.isDone
        }
        return coded
    }
}
