// SPDX-License-Identifier: Apache-2.0
@testable import TernEngine

/// The results of decoding a body, and of its delivery in chunks.
struct Delivery {
    var bytes: [UInt8] = []
    var failure: ContentDecodingError?
    /// Chunks with content.
    var pieces = 0
    var largest = 0
    /// Chunks without content.
    var vain = 0
    /// The price of all chunks, and the highest.
    var price = 0
    var highestPrice = 0
    /// It continued without progress.
    var hangs = false

    /// What must be the same, however the body was split and read.
    var outcome: Outcome { Outcome(bytes: bytes, failure: failure) }

    struct Outcome: Equatable {
        var bytes: [UInt8]
        var failure: ContentDecodingError?
    }

    /// - Parameter stops: whether the reader stops at each chunk and continues from there.
    init(
        _ codings: [ContentCoding], _ pieces: [[UInt8]], limits: ContentDecodingLimits = ContentDecodingLimits(),
        stops: Bool = false
    ) {
        do throws(ContentDecodingError) {
            var path = try BodyPath(decoding: codings, limits: limits)
            for piece in pieces { try receive(piece, through: &path, stops) }
            try path.finish()
        } catch {
            failure = error
        }
    }

    private mutating func receive(
        _ piece: [UInt8], through path: inout BodyPath, _ stops: Bool
    ) throws(ContentDecodingError) {
        var offset = 0
        while offset < piece.count || path.hasMore {
            var delivered = false
            let consumed = try path.receive(piece.span.extracting(droppingFirst: offset)) { bytes, price in
                take(bytes)
                self.price += price
                highestPrice = max(highestPrice, price)
                delivered = true
                return !stops
            }
            offset += consumed
            // Behind a full window nothing may be left.
            hangs = consumed == 0 && !delivered && path.hasMore
            if hangs { return }
        }
    }

    private mutating func take(_ span: Span<UInt8>) {
        if span.isEmpty { vain += 1 } else { pieces += 1 }
        largest = max(largest, span.count)
        unsafe span.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }
}
