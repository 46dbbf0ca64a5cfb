// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
import TernLock

/// Bodies that come coded, from the socket to the delegate.
@Suite(.serialized, .timeLimit(.minutes(5))) struct DecodedBodyTests {
    private static let text = Array((0..<2000).map { "line \($0 * $0)\n" }.joined().utf8)
    private static let zeros = [UInt8](repeating: 0, count: 32 << 20)

    private static func response(
        _ body: [UInt8], _ coding: String, status: Int = 200, _ fields: [(name: String, value: String)] = []
    ) -> ScriptedOrigin.Step {
        .respond(status: status, fields: [(name: "Content-Encoding", value: coding)] + fields, body: body)
    }

    struct Coded: Sendable, CustomTestStringConvertible {
        let coding: String
        let body: [UInt8]
        var isDecoded = true

        var testDescription: String { coding }
    }

    private static let codedTexts: [Coded] =
        [
            Coded(coding: "gzip", body: ZlibCoder.gzip(text)),
            Coded(coding: "X-GZip", body: ZlibCoder.gzip(text)),
            Coded(coding: "deflate", body: ZlibCoder.deflate(text, .zlib)),
            Coded(coding: "deflate ", body: ZlibCoder.deflate(text, .bare)),
            Coded(coding: "gzip, deflate", body: ZlibCoder.code(text, [.gzip, .deflate])),
            Coded(coding: "identity", body: text, isDecoded: false),
            Coded(coding: "compress", body: text, isDecoded: false),
            Coded(coding: "gzip, compress", body: text, isDecoded: false),
        ] + ContentCoding.allCases.map { Coded(coding: $0.rawValue.uppercased(), body: ZlibCoder.code(text, [$0])) }

    @Test(arguments: codedTexts, [false, true])
    func `a body is delivered without its coding, and the connection is used again`(coded: Coded, isSecure: Bool)
        async throws
    {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { _, _ in
            [Self.response(coded.body, coded.coding)]
        }
        let session = try Session.trusting(authority)
        for _ in 0..<2 {
            let delegate = RecordingDelegate()
            let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
            task.resume()
            let record = await delegate.end()
            #expect(record.error == nil)
            #expect(record.body == Self.text)
            #expect(task.response?.isContentDecoded == coded.isDecoded)
            #expect(task.response?.expectedContentLength == (coded.isDecoded ? -1 : Int64(coded.body.count)))
            #expect(task.response?.value(forHTTPHeaderField: "Content-Length") == "\(coded.body.count)")
            let travelled = try #require(task.metrics?.hops.last?.countOfBytesReceived)
            #expect(travelled > coded.body.count && travelled < coded.body.count + 20_000)
        }
        #expect(origin.connectionCount == 1)
    }

    @Test func `wherever the body is split, it is the same`() async throws {
        let text = Array(Self.text.prefix(200))
        let coded = ZlibCoder.code(text, [.gzip, .deflate])
        let origin = try ScriptedOrigin { _, request in
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip, deflate\r\n"
            switch request.target {
            case "/drip":
                return [.send(head + "Content-Length: \(coded.count)\r\n\r\n"), .drip(coded, every: .zero)]
            case "/chunks":
                let bytes = coded.flatMap { Array("1\r\n".utf8) + [$0] + Array("\r\n".utf8) }
                return [
                    .send(head + "Transfer-Encoding: chunked\r\n\r\n"), .send(bytes + Array("0\r\nX: y\r\n\r\n".utf8)),
                ]
            default: return [.send(head + "\r\n"), .send(coded), .close]
            }
        }
        let session = Session.limited()
        for path in ["/drip", "/chunks", "/close"] {
            let delegate = RecordingDelegate()
            session.dataTask(with: try URLRequest(origin, path), delegate: delegate).resume()
            let record = await delegate.end()
            #expect(record.error == nil)
            #expect(record.body == text)
            #expect(record.events.contains(.trailers(["X: y"])) == (path == "/chunks"))
        }
        #expect(origin.connectionCount == 1)
    }

    @Test(arguments: [("GET", 200), ("HEAD", 200), ("GET", 204), ("GET", 304)])
    func `no body is one, whatever it is said to be coded in`(method: String, status: Int) async throws {
        let origin = try ScriptedOrigin { _, _ in
            [
                .send(
                    "HTTP/1.1 \(status) \r\nContent-Encoding: gzip\r\nContent-Length: \(status == 204 ? "0" : method == "HEAD" || status == 304 ? "77" : "0")\r\n\r\n"
                )
            ]
        }
        let session = Session.limited()
        for _ in 0..<2 {
            let (data, response) = try await session.data(for: URLRequest(origin, method: method))
            #expect(data.isEmpty)
            #expect(response.statusCode == status)
        }
        #expect(origin.connectionCount == 1)
    }

    enum Damage: CaseIterable, Sendable {
        case truncated, corrupted, garbage

        var body: [UInt8] {
            var body = ZlibCoder.gzip(DecodedBodyTests.text)
            switch self {
            case .truncated: body.removeLast(9)
            case .corrupted: body[body.count / 2] ^= 0x55
            case .garbage: body = Array("<html>no</html>".utf8)
            }
            return body
        }
    }

    @Test(arguments: Damage.allCases, [false, true])
    func `a body that is not what its coding says is an error, and ends its connection`(
        damage: Damage, isChunked: Bool
    ) async throws {
        let origin = try ScriptedOrigin { _, request in
            if request.target == "/next" { return [.ok("next")] }
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
            if !isChunked { return [.send(head + "Content-Length: \(damage.body.count)\r\n\r\n"), .send(damage.body)] }
            let size = String(damage.body.count, radix: 16)
            return [
                .send(head + "Transfer-Encoding: chunked\r\n\r\n\(size)\r\n"), .send(damage.body),
                .send("\r\n0\r\n\r\n"),
            ]
        }
        let session = Session.limited()
        let error = await session.failure(of: try URLRequest(origin))
        guard case .transfer(.undecodable(let reason)) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        if damage == .truncated { #expect(reason == .truncated) }
        #expect(error?.phase == .body)
        #expect(try await session.text(URLRequest(origin, "/next")) == "next")
        #expect(origin.connectionCount == 2)
        #expect(await origin.waitFor { $0.openConnections == 1 })
    }

    @Test func `what a session allows is what a body may cost`() async throws {
        let bomb = ZlibCoder.gzip(Self.zeros)
        let origin = try ScriptedOrigin { _, request in
            [
                Self.response(
                    bomb, request.target == "/many" ? "gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip" : "gzip")
            ]
        }
        let session = Session.limited { $0.contentDecodingLimits.maximumDecodedSize = 1 << 20 }
        let delegate = RecordingDelegate()
        session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        let record = await delegate.end()
        #expect(record.body.count == 1 << 20)
        guard case .transfer(.undecodable(.tooLarge(limit: 1 << 20))) = record.error?.reason else {
            Issue.record("\(String(describing: record.error))")
            return
        }
        // Reported when content arrives, after the head.
        let other = RecordingDelegate()
        session.dataTask(with: try URLRequest(origin, "/many"), delegate: other).resume()
        #expect(await other.end().events == [.head(200), .end(failed: true)])
    }

    @Test func `the limit counts the bytes that come out, and not those that travel`() async throws {
        let bomb = ZlibCoder.gzip(Array(Self.zeros.prefix(3 << 20)))
        let origin = try ScriptedOrigin { _, _ in [Self.response(bomb, "gzip")] }
        for (limit, isEnough) in [(3 << 20, true), (3 << 20 - 1, false)] {
            let session = Session.limited { $0.maximumCollectedBodySize = limit }
            let error = await session.failure(of: try URLRequest(origin))
            #expect((error == nil) == isEnough)
            if case .transfer(.bodyTooLarge(limit: limit))? = error?.reason { continue }
            #expect(isEnough)
        }
    }

    @Test func `a reader that stops has little of a bomb in memory, and then gets all of it`() async throws {
        let zeros = Self.zeros
        let bomb = ZlibCoder.gzip(zeros)
        let origin = try ScriptedOrigin { _, _ in [Self.response(bomb, "gzip")] }
        let session = Session.limited()
        let (bytes, _) = try await session.bytes(for: URLRequest(origin))
        for _ in 0..<10 { await session.settle() }
        var iterator = bytes.makeAsyncIterator()
        var (count, most) = (0, 0)
        while let piece = try await iterator.next() {
            #expect(!piece.contains { $0 != 0 })
            most = max(most, piece.count)
            count += piece.count
            if count < 4 << 20 { for _ in 0..<5 { await session.settle() } }
        }
        #expect(count == zeros.count)
        #expect(most <= 1 << 20)
    }

    @Test func `while one task decodes a bomb other connections are served`() async throws {
        let bomb = ZlibCoder.gzip(Self.zeros)
        let origin = try ScriptedOrigin { _, request in
            request.target == "/bomb" ? [Self.response(bomb, "gzip")] : [.ok("pong")]
        }
        let session = Session.limited(to: 2)
        let loop = try #require(session.firstLoop)
        let turns = Lock<[UInt64: Int]>([:])
        final class Counter: SessionTaskDelegate {
            let turns: @Sendable (Int) -> Void
            let ended: @Sendable (SessionError?) -> Void
            init(_ turns: @escaping @Sendable (Int) -> Void, _ ended: @escaping @Sendable (SessionError?) -> Void) {
                (self.turns, self.ended) = (turns, ended)
            }
            func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) { turns(bytes.count) }
            func task(_ task: SessionTask, didCompleteWith error: SessionError?) { ended(error) }
        }
        _ = try await session.text(URLRequest(origin))
        let (ends, end) = AsyncStream<SessionError?>.makeStream()
        let counter = Counter({ count in turns.withLock { $0[loop.tick, default: 0] += count } }) { end.yield($0) }
        session.dataTask(with: try URLRequest(origin, "/bomb"), delegate: counter).resume()
        var pings = 0
        for _ in 0..<20 where try await session.text(URLRequest(origin)) == "pong" { pings += 1 }
        for await error in ends {
            #expect(error == nil)
            break
        }
        #expect(pings == 20)
        let (most, sum) = turns.withLock { ($0.values.max() ?? 0, $0.values.reduce(0, +)) }
        #expect(sum == Self.zeros.count)
        #expect(most <= TickAllowance.maximum + BodyPath.windowSize)
    }

    /// Everything has arrived before the first byte of the body is decoded.
    @Test(arguments: EmptyBlocks.allCases)
    func `empty blocks are spread over as many ticks as their cost requires`(blocks: EmptyBlocks) async throws {
        let count = 2000
        let body = blocks.body(of: count)
        let coding = blocks.codings.map { "\($0)" }.joined(separator: ", ")
        let origin = try ScriptedOrigin { _, _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n"), .hold,
                .send(body),
            ]
        }
        let session = Session.limited()
        let loop = try #require(session.firstLoop)
        let turns = Lock<[UInt64]>([])
        let delegate = RecordingDelegate { _, event in
            if event == .head(200) {
                #expect(throws: Never.self) { try origin.release() }
                #expect(ClientSockets.waitForInput(of: body.count, from: origin.port))
            }
            turns.withLock { $0.append(loop.tick) }
        }
        session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        let record = await delegate.end()
        #expect(record.error == nil)
        #expect(record.body.isEmpty)
        // The end is noted.
        await session.settle()
        let (first, last) = turns.withLock { ($0.first ?? 0, $0.last ?? 0) }
        #expect(last - first >= count * DecodingChain.blockPrice / TickAllowance.maximum - 1)
    }

    @Test(arguments: [false, true])
    func `a task that pauses within a chunk receives nothing more, and then the rest`(isCancelled: Bool)
        async throws
    {
        let bytes = Array(Self.zeros.prefix(1 << 20))
        let coded = ZlibCoder.gzip(bytes)
        let origin = try ScriptedOrigin { _, _ in [Self.response(coded, "gzip")] }
        let session = Session.limited()
        let delegate = RecordingDelegate { task, event in if case .body = event { task.suspend() } }
        let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
        task.resume()
        for pieces in 1...3 {
            await delegate.wait { $0.events.count > pieces }
            for _ in 0..<3 { await session.settle() }
            #expect(delegate.record.events.count == pieces + 1)
            #expect(delegate.record.body.count <= pieces * BodyPath.windowSize)
            if pieces < 3 { task.resume() }
        }
        if isCancelled {
            task.cancel()
            #expect(await delegate.end().error?.reason.isCancellation == true)
            #expect(ClientSockets.count(to: origin.port) == 0)
            return
        }
        var pieces = 3
        while delegate.record.completions == 0 {
            // Not before the delegate has suspended it.
            await session.settle()
            task.resume()
            pieces += 1
            let seen = pieces
            await delegate.wait { $0.events.count > seen || $0.completions > 0 }
        }
        #expect(delegate.record.body == bytes)
        #expect(delegate.record.error == nil)
        _ = try await session.data(for: URLRequest(origin))
        #expect(origin.connectionCount == 1)
    }

    @Test func `a delegate may cancel within a chunk`() async throws {
        let coded = ZlibCoder.gzip(Array(Self.zeros.prefix(1 << 20)))
        let origin = try ScriptedOrigin { _, _ in [Self.response(coded, "gzip")] }
        let session = Session.limited()
        let delegate = RecordingDelegate { task, event in if case .body = event { task.cancel() } }
        session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        let record = await delegate.end()
        #expect(record.error?.reason.isCancellation == true)
        #expect(record.body.count <= BodyPath.windowSize)
        await session.settle()
        #expect(delegate.record.completions == 1)
        #expect(ClientSockets.count(to: origin.port) == 0)
    }

    @Test func `codings are asked for where they are decoded, unless the caller says something else`() async throws {
        let coded = ZlibCoder.gzip(Self.text)
        let origin = try ScriptedOrigin { _, request in [Self.response(coded, "gzip")] }
        for sessionDecodes in [true, false] {
            let session = Session.limited { $0.decodesContent = sessionDecodes }
            for requestDecodes in [nil, true, false] {
                for field in [nil, ("Range", "bytes=0-"), ("Accept-Encoding", "br"), ("accept-encoding", "")] {
                    var request = try URLRequest(origin)
                    request.decodesContent = requestDecodes
                    if let field { request.headers.append(field.0, field.1) }
                    let decodes = requestDecodes ?? sessionDecodes
                    let (data, response) = try await session.data(for: request)
                    #expect(Array(data) == (decodes ? Self.text : coded))
                    #expect(response.isContentDecoded == decodes)
                    let asked = origin.requests.last?.values(of: "accept-encoding")
                    switch field?.0 {
                    case nil: #expect(asked == (decodes ? [ContentCoding.acceptEncoding] : []))
                    case "Range": #expect(asked == (decodes ? ["identity"] : []))
                    default: #expect(asked == [field?.1 ?? ""])
                    }
                }
            }
        }
    }
}
