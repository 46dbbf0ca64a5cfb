// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct BodyPathTests {
    private static let text = Array((0..<50).map { "line \($0 * $0), and line \($0 % 7)\n" }.joined().utf8)

    /// Those with a checksum.
    private static let checkedChains: [[ContentCoding]] = [
        [.gzip], [.deflate], [.gzip, .gzip], [.gzip, .deflate], [.deflate, .gzip], [.deflate, .gzip, .deflate],
    ]
    /// And all pairs.
    private static let chains =
        checkedChains
        + ContentCoding.allCases.flatMap { first in ContentCoding.allCases.map { [first, $0] } }
        .filter { !checkedChains.contains($0) }

    @Test func `an identity delivers what it is given, whole`() throws {
        var path = BodyPath()
        #expect(path.isIdentity == true)
        var deliveries: [Int] = []
        let bytes = [UInt8](repeating: 7, count: 300_000)
        for goesOn in [true, false] {
            let consumed = try path.receive(bytes.span) { span, _ in
                deliveries.append(span.count)
                return goesOn
            }
            #expect(consumed == 300_000)
            #expect(path.hasMore == false)
        }
        #expect(try path.receive(Span()) { _, _ in Bool.random() } == 0)
        try path.finish()
        #expect(deliveries == [300_000, 300_000])
        #expect(try BodyPath(decoding: [], limits: ContentDecodingLimits()).isIdentity)
    }

    @Test(arguments: chains)
    func `decodes a body whole, split at each point, byte by byte, stopped or not`(codings: [ContentCoding]) {
        let coded = ZlibCoder.code(Self.text, codings)
        let whole = Delivery.Outcome(bytes: Self.text)
        for stops in [false, true] {
            #expect(Delivery(codings, [coded], stops: stops).outcome == whole)
            #expect(Delivery(codings, coded.map { [$0] }, stops: stops).outcome == whole)
            for point in 0...coded.count {
                let halves = [Array(coded[..<point]), Array(coded[point...])]
                #expect(Delivery(codings, halves, stops: stops).outcome == whole)
            }
        }
    }

    @Test(arguments: chains)
    func `a body that ends too early is truncated, wherever it ends`(codings: [ContentCoding]) {
        let coded = ZlibCoder.code(Self.text, codings)
        for end in 1..<coded.count {
            let delivery = Delivery(codings, [Array(coded[..<end])])
            #expect(delivery.failure == .truncated)
            #expect(Self.text.starts(with: delivery.bytes))
            #expect(Delivery(codings, coded[..<end].map { [$0] }).outcome == delivery.outcome)
        }
    }

    @Test(arguments: chains)
    func `an empty input is a body`(codings: [ContentCoding]) {
        #expect(Delivery(codings, []).outcome == Delivery.Outcome(bytes: []))
        #expect(Delivery(codings, [[], []]).outcome == Delivery.Outcome(bytes: []))
        #expect(Delivery(codings, [ZlibCoder.code([], codings)]).outcome == Delivery.Outcome(bytes: []))
    }

    @Test(arguments: checkedChains)
    func `each changed byte is an error or changes nothing, and delivery does not matter`(
        codings: [ContentCoding]
    ) {
        let coded = ZlibCoder.code(Self.text, codings)
        for index in coded.indices {
            var changed = coded
            changed[index] ^= 0x10
            let whole = Delivery(codings, [changed])
            #expect(whole.failure != nil || whole.bytes == Self.text)
            #expect(Delivery(codings, changed.map { [$0] }, stops: true).outcome == whole.outcome)
        }
    }

    @Test func `stops within the output of the inflater, and continues without input`() throws {
        let bytes = [UInt8](repeating: 0, count: 1_000_000)
        let coded = ZlibCoder.gzip(bytes)
        var path = try BodyPath(decoding: [.gzip], limits: ContentDecodingLimits())
        #expect(path.isIdentity == false)
        var sizes: [Int] = []
        var consumed = try path.receive(coded.span) { span, _ in
            sizes.append(span.count)
            return false
        }
        #expect(sizes == [BodyPath.windowSize])
        #expect(consumed < coded.count / 10)
        #expect(path.hasMore == true)
        while consumed < coded.count || path.hasMore {
            consumed += try path.receive(coded.span.extracting(droppingFirst: consumed)) { span, _ in
                sizes.append(span.count)
                return false
            }
        }
        try path.finish()
        #expect(sizes.reduce(0, +) == bytes.count)
        #expect(sizes.dropLast().allSatisfy { $0 == BodyPath.windowSize })
    }

    @Test func `throws the same again once it has failed`() throws {
        var path = try BodyPath(decoding: [.gzip], limits: ContentDecodingLimits())
        let bytes: [UInt8] = [0x1F, 0x8C, 0, 0]
        for _ in 0..<3 {
            #expect(throws: ContentDecodingError.malformed("no gzip: incorrect header check")) {
                try path.receive(bytes.span) { _, _ in true }
            }
            #expect(path.hasMore == true)
        }
        #expect(throws: ContentDecodingError.malformed("no gzip: incorrect header check")) { try path.finish() }
    }

    @Test func `what was decoded before an error is delivered before it is thrown`() {
        var coded = ZlibCoder.gzip(Self.text)
        coded[coded.count - 8] ^= 1
        for stops in [false, true] {
            let delivery = Delivery([.gzip], [coded], stops: stops)
            #expect(delivery.outcome == Delivery.Outcome(bytes: Self.text, failure: .checksum))
        }
    }
}
