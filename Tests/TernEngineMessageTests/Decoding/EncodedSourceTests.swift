// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernLock
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct EncodedSourceTests {
    private static let text = Data((0..<30_000).map { "line \($0 &* $0)\n" }.joined().utf8)
    private static let noise = Data((0..<300_000).map { UInt8(truncatingIfNeeded: ($0 &* 0x9E37_79B9) >> 13) })

    private static var compressions: [ContentCompression] {
        var all = [ContentCompression.gzip] + (0...10).map { .gzip(level: $0) }
        #if Brotli
            all += [.brotli] + [-1, 0, 1, 4, 9, 11, 12].map { .brotli(quality: $0) }
        #endif
        #if Zstd
            all += [.zstd] + [-100, -7, 0, 1, 12, 19, 22].map { .zstd(level: $0) }
        #endif
        return all
    }

    /// All that a source returns, and how often it had nothing.
    private func read(_ source: some BodySource, atMost count: Int) -> (bytes: [UInt8], waits: Int, end: BodyPiece) {
        var (bytes, waits) = ([UInt8](), 0)
        while true {
            switch source.next(atMost: count, wake: {}) {
            case .bytes(let data):
                #expect(data.count <= count)
                bytes += data
            case .later: waits += 1
            case let end: return (bytes, waits, end)
            }
        }
    }

    private func decode(_ coding: ContentCoding, _ coded: [UInt8]) -> Delivery.Outcome {
        var limits = ContentDecodingLimits()
        limits.maximumExpansionRatio = .max
        return Delivery([coding], [coded], limits: limits).outcome
    }

    @Test(arguments: compressions)
    func `content of any kind is decoded to what it was, at any level`(compression: ContentCompression) throws {
        for data in [Data(), Data([7]), Self.text.prefix(100), Self.text, Self.noise] {
            let whole = try ContentEncoder.encode(data, compression)
            #expect(decode(compression.coding, Array(whole)) == Delivery.Outcome(bytes: Array(data)))
            let pieces = stride(from: 0, to: data.count, by: 50_000).map { data.dropFirst($0).prefix(50_000) }
            let (bytes, _, end) = read(try EncodedSource(ProbingSource(pieces), compression), atMost: 4000)
            guard case .end = end else {
                Issue.record("\(end)")
                return
            }
            #expect(decode(compression.coding, bytes) == Delivery.Outcome(bytes: Array(data)))
        }
    }

    @Test(arguments: [ContentCoding.gzip] + ContentCoding.allCases.filter { $0 != .gzip && $0 != .deflate })
    func `what is there is sent before the source waits, and the source is asked again once it has more`(
        coding: ContentCoding
    ) throws {
        let wakes = Lock<[@Sendable () -> Void]>([])
        let probe = ProbingSource { ask, wake in
            switch ask {
            case 0: return .bytes(Data("first ".utf8))
            case 2: return .bytes(Data("second".utf8))
            case 1, 3:
                wakes.withLock { $0.append(wake) }
                return .later
            // It says so before it has answered.
            case 4:
                wake()
                return .later
            default: return .end(trailers: ["X-A": "b"])
            }
        }
        let source = try EncodedSource(probe, ContentCompression(coding: coding, level: 5))
        let woken = Lock(0)
        let next = { source.next(atMost: 1000) { woken.withLock { $0 += 1 } } }
        var (coded, waits) = ([UInt8](), 0)
        var text: [String] = []
        loop: while true {
            switch next() {
            case .bytes(let data): coded += data
            case .later:
                text.append(String(decoding: decode(coding, coded).bytes, as: UTF8.self))
                waits += 1
                // Asked for another reason, it does not call what has nothing.
                let asks = probe.record.asks
                guard case .later = next() else {
                    Issue.record("answers")
                    return
                }
                #expect(probe.record.asks == asks)
                wakes.withLock { $0.removeFirst() }()
                #expect(woken.withLock { $0 } == waits)
            case .end(let trailers):
                #expect(trailers["X-A"] == "b")
                break loop
            case .failed(let error):
                Issue.record(error)
                return
            }
        }
        #expect(text == ["first ", "first second"])
        #expect(decode(coding, coded) == Delivery.Outcome(bytes: Array("first second".utf8)))
        source.finish()
        #expect(probe.record == ProbingSource.Record(asks: 6, finishes: 1))
    }

    @Test func `a failure is passed on, and so is the end`() throws {
        let probe = ProbingSource([Data("a".utf8)], then: .failed(SourceFailure()))
        let (_, _, end) = read(try EncodedSource(probe, .gzip), atMost: 10)
        guard case .failed(let error) = end, error is SourceFailure else {
            Issue.record("\(end)")
            return
        }
    }

    @Test func `no more is encoded in one tick than is meant for it, whatever it comes to`() throws {
        let zeros = Data(repeating: 0, count: 64 * 1024)
        for pieces in [[Data](repeating: zeros, count: 100), [Data(repeating: 0, count: 100 * zeros.count)]] {
            let waits = read(try EncodedSource(ProbingSource(pieces), .gzip), atMost: 64 * 1024).waits
            #expect(waits >= 200)
        }
        let source = try EncodedSource(ProbingSource { ask, _ in ask < 10_000 ? .bytes(Data()) : .end() }, .gzip)
        #expect(read(source, atMost: 64 * 1024).waits >= 10_000 / 256 - 1)
    }
}
