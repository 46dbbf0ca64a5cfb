// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct DecodingChainTests {
    @Test func `a chain makes one window when its reader stops at one, and consumes no more than that takes`() throws {
        let inner = ZlibCoder.gzip([UInt8](repeating: 0, count: 50_000_000))
        let coded = ZlibCoder.gzip(inner)
        var limits = ContentDecodingLimits()
        limits.maximumExpansionRatio = .max
        var path = try BodyPath(decoding: [.gzip, .gzip], limits: limits)
        var delivered = 0
        let consumed = try path.receive(coded.span) { span, _ in
            delivered += span.count
            return false
        }
        #expect(delivered == BodyPath.windowSize)
        var rest = coded.span.extracting(droppingFirst: consumed)
        var windows = 1
        while !rest.isEmpty || path.hasMore {
            let before = delivered
            let more = try path.receive(rest) { span, _ in
                delivered += span.count
                return false
            }
            #expect(delivered - before <= BodyPath.windowSize)
            rest = rest.extracting(droppingFirst: more)
            windows += 1
        }
        try path.finish()
        #expect(delivered == 50_000_000)
        #expect(windows >= 50_000_000 / BodyPath.windowSize)
    }

    @Test func `the ratio also applies to bytes that a later decoder skips`() {
        // Empty members, in a member: there is nothing to deliver at the end of all this work.
        let members = Array(repeatElement(ZlibCoder.gzip([]), count: 100_000).joined())
        let coded = ZlibCoder.gzip(members)
        let delivery = Delivery([.gzip, .gzip], [coded])
        #expect(delivery.outcome == Delivery.Outcome(bytes: []))

        var limits = ContentDecodingLimits()
        limits.maximumExpansionRatio = members.count / coded.count / 2
        let refused = Delivery([.gzip, .gzip], [coded], limits: limits)
        #expect(refused.failure == .ratioExceeded(limit: limits.maximumExpansionRatio))
    }

    @Test(arguments: [[ContentCoding.gzip, .gzip], [.gzip, .gzip, .gzip]])
    func `a reader can stop where a window of work has come to nothing`(codings: [ContentCoding]) throws {
        let members = Array(repeatElement(ZlibCoder.gzip([]), count: 100_000).joined())
        let coded = ZlibCoder.code(members, Array(codings.dropFirst()))
        var limits = ContentDecodingLimits()
        limits.maximumExpansionRatio = .max
        var path = try BodyPath(decoding: codings, limits: limits)
        var rest = coded.span
        var stops = 0
        while !rest.isEmpty || path.hasMore {
            let consumed = try path.receive(rest) { span, _ in
                #expect(span.count == 0)
                stops += 1
                return false
            }
            rest = rest.extracting(droppingFirst: consumed)
        }
        try path.finish()
        #expect(stops >= members.count / (2 * BodyPath.windowSize))
    }

    @Test(arguments: EmptyBlocks.allCases)
    func `a block is paid for though it holds nothing, and a reader can stop at every window's worth`(
        blocks: EmptyBlocks
    ) {
        let (count, body) = (10_000, blocks.body(of: 10_000))
        let whole = Delivery(blocks.codings, [body])
        #expect(whole.outcome == Delivery.Outcome(bytes: []))
        #expect(whole.price > (count - DecodingChain.blocksAtOnce) * DecodingChain.blockPrice)
        #expect(whole.highestPrice < 3 * BodyPath.windowSize)
        // Small inputs are no cheaper.
        let pieces = stride(from: 0, to: body.count, by: 100).map { Array(body[$0..<min($0 + 100, body.count)]) }
        let inPieces = Delivery(blocks.codings, pieces)
        #expect(inPieces.price > (count - DecodingChain.blocksAtOnce) * DecodingChain.blockPrice)
    }

    @Test func `the blocks of an ordinary body cost little`() {
        let text = Array((0..<100_000).map { "line \($0 &* $0)\n" }.joined().utf8)
        let delivery = Delivery([.gzip], [ZlibCoder.gzip(text)])
        #expect(delivery.bytes == text)
        #expect(delivery.price < text.count + text.count / 4)
    }

    @Test func `input that comes to nothing lets the reader stop as well`() throws {
        // A bare stream of stored blocks with nothing in them, the last of which says so.
        let blocks = Array(repeatElement([0, 0, 0, 0xFF, 0xFF] as [UInt8], count: 100_000).joined())
        let delivery = Delivery([.deflate], [blocks + [1, 0, 0, 0xFF, 0xFF]])
        #expect(delivery.outcome == Delivery.Outcome(bytes: []))
        #expect(delivery.vain >= blocks.count / BodyPath.windowSize)
    }
}

@Suite struct DecodedWindowTests {
    private func fill(_ window: inout DecodedWindow, _ count: Int) {
        window.append(count) { output in
            while !output.isFull { output.append(UInt8(truncatingIfNeeded: output.count)) }
        }
    }

    @Test func `lends what was put in until it is taken`() {
        var window = DecodedWindow()
        fill(&window, 3)
        fill(&window, 2)
        #expect(window.count == 5)
        #expect(window.room == DecodedWindow.size - 5)
        var seen: [UInt8] = []
        for taken in [4, -1, 0, 99] {
            window.lend { span in
                for index in span.indices { seen.append(span[index]) }
                return taken
            }
        }
        #expect(seen == [0, 1, 2, 0, 1, 1, 1, 1])
        #expect(window.count == 0)
        #expect(window.room == DecodedWindow.size)
    }

    @Test(arguments: [-1, 0, 7, DecodedWindow.size, .max])
    func `has no more room than its size`(most: Int) {
        var window = DecodedWindow()
        fill(&window, most)
        #expect(window.count == min(max(0, most), DecodedWindow.size))
        fill(&window, .max)
        #expect(window.room == 0)
        fill(&window, 1)
        #expect(window.count == DecodedWindow.size)
        window.dropLast()
        #expect(window.count == DecodedWindow.size - 1)
        window.clear()
        window.dropLast()
        #expect(window.count == 0)
    }
}
