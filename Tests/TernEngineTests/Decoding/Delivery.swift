// SPDX-License-Identifier: Apache-2.0
@testable import TernEngine

/// What becomes of a coded body that comes in pieces, and how.
struct Delivery {
    var octets: [UInt8] = []
    var failure: ContentDecodingError?
    /// Pieces with something in them.
    var pieces = 0
    var largest = 0
    /// Pieces with nothing in them.
    var vain = 0
    /// What all pieces cost, and the dearest.
    var price = 0
    var highestPrice = 0
    /// It went on without getting anywhere.
    var hangs = false

    /// What has to be the same, however the body came and was read.
    var outcome: Outcome { Outcome(octets: octets, failure: failure) }

    struct Outcome: Equatable {
        var octets: [UInt8]
        var failure: ContentDecodingError?
    }

    /// - Parameter stops: whether the reader stops at each piece and goes on from there.
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
            let consumed = try path.receive(piece.span.extracting(droppingFirst: offset)) { octets, price in
                take(octets)
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
        unsafe span.withUnsafeBufferPointer { unsafe octets.append(contentsOf: $0) }
    }
}
