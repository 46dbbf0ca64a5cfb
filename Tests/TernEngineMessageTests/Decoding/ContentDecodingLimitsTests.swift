// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct ContentDecodingLimitsTests {
    private static let zeros = [UInt8](repeating: 0, count: 10_000_000)
    private static let bomb = ZlibCoder.code(zeros, [.gzip, .gzip])

    @Test(arguments: [0, 1, 9, 10, 65_535, 65_536, 65_537, 131_071, 131_072, 200_000], [false, true])
    func `a body of the largest size is whole, and of one with more all is delivered that may be`(
        size: Int, stops: Bool
    ) {
        var limits = ContentDecodingLimits()
        limits.maximumDecodedSize = size
        let bytes = Self.numbers(size + 1)
        for codings in [[ContentCoding.gzip], [.deflate], [.gzip, .deflate]] {
            let whole = Delivery(codings, [ZlibCoder.code(bytes.dropLast(), codings)], limits: limits, stops: stops)
            #expect(whole.outcome == Delivery.Outcome(bytes: bytes.dropLast()))
            let larger = Delivery(codings, [ZlibCoder.code(bytes, codings)], limits: limits, stops: stops)
            #expect(larger.outcome == Delivery.Outcome(bytes: bytes.dropLast(), failure: .tooLarge(limit: size)))
        }
    }

    @Test func `one coding is never refused, however much it makes of its input`() {
        let delivery = Delivery([.gzip], [ZlibCoder.gzip(Self.zeros)])
        #expect(delivery.failure == nil)
        #expect(delivery.bytes.count == 10_000_000)
        #expect(delivery.largest == BodyPath.windowSize)
    }

    @Test func `what is coded twice to make more than one coding could is refused`() {
        for pieces in [[Self.bomb], Self.bomb.map { [$0] }] {
            let delivery = Delivery([.gzip, .gzip], pieces)
            #expect(delivery.failure == .ratioExceeded(limit: 1032))
            #expect(delivery.bytes.count <= 1024 * 1024)
            #expect(delivery.bytes.count > 900 * 1024)
        }
    }

    @Test func `the ratio counts what is received, and is free up to its allowance`() {
        var limits = ContentDecodingLimits()
        limits.expansionAllowance = 1000
        limits.maximumExpansionRatio = 0
        let zeros = [UInt8](repeating: 0, count: 1000)
        #expect(Delivery([.gzip], [ZlibCoder.gzip(zeros)], limits: limits).failure == nil)
        let more = Delivery([.gzip], [ZlibCoder.gzip(zeros + [0])], limits: limits)
        #expect(more.outcome == Delivery.Outcome(bytes: [], failure: .ratioExceeded(limit: 1)))

        limits.maximumExpansionRatio = 10
        let stored = ZlibCoder.deflate(Self.numbers(9000), .bare, level: 0)
        #expect(Delivery([.deflate], [stored], limits: limits).failure == nil)
    }

    @Test func `more codings than the limit are refused before anything is decoded`() {
        var limits = ContentDecodingLimits()
        for limit in 0...3 {
            limits.maximumCodingCount = limit
            let most = [ContentCoding](repeating: .gzip, count: limit)
            #expect(Delivery(most, [ZlibCoder.code([1, 2, 3], most)], limits: limits).bytes == [1, 2, 3])
            #expect(Delivery(most + [.deflate], [], limits: limits).failure == .tooManyCodings(limit: limit))
        }
        limits.maximumCodingCount = -1
        #expect(Delivery([.gzip], [], limits: limits).failure == .tooManyCodings(limit: 0))
    }

    @Test(arguments: [Int.min, -1, 0, .max])
    func `any number can be set`(number: Int) {
        var limits = ContentDecodingLimits()
        limits.maximumCodingCount = 3
        limits.maximumDecodedSize = number
        limits.maximumExpansionRatio = number
        limits.expansionAllowance = number
        let delivery = Delivery([.gzip, .gzip], [Self.bomb.dropLast(20)], limits: limits)
        #expect(delivery.failure != nil)
        #expect(!delivery.hangs)
    }

    private static func numbers(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
    }
}
