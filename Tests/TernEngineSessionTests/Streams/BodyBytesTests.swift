// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct BodyBytesTests {
    @Test func `gives the head at once and the body as it comes`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .hold, .send("5\r\nfirst\r\n"), .hold,
                .send("6\r\nsecond\r\n0\r\nX-Sum: 11\r\nSet-Cookie: a=b\r\n\r\n"),
            ]
        }
        let session = Session.limited()
        let (bytes, response) = try await session.bytes(for: URLRequest(origin))
        #expect(response.statusCode == 200)
        var iterator = bytes.makeAsyncIterator()
        try origin.release()
        #expect(try await iterator.next() == Data("first".utf8))
        #expect(bytes.trailers.isEmpty)
        try origin.release()
        #expect(try await iterator.next() == Data("second".utf8))
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
        #expect(bytes.trailers == ["X-Sum": "11"])
        #expect(bytes.discardedTrailers == ["Set-Cookie": "a=b"])
        #expect(try await session.text(URLRequest(origin, method: "HEAD")) == "")
    }

    @Test(arguments: [false, true]) func `a broken body throws behind what came of it`(isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .close]
        }
        let session = try Session.trusting(authority)
        let (bytes, _) = try await session.bytes(for: URLRequest(origin))
        var body = Data()
        await #expect(throws: SessionError.self) { for try await piece in bytes { body += piece } }
        #expect(body == Data("half".utf8))
    }

    @Test func `throws when there is no head`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.close] }
        let session = Session.limited()
        await #expect(throws: SessionError.self) { try await session.bytes(for: URLRequest(origin)) }
    }

    @Test func `an abandoned body closes its connection, and a read one keeps it`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/endless"
                ? [.send("HTTP/1.1 200 OK\r\n\r\n"), .repeat(Array(repeating: 1, count: 65536), count: 1 << 20)]
                : [.ok("answer")]
        }
        let session = Session.limited()
        for count in 1...20 {
            do {
                let (bytes, _) = try await session.bytes(for: URLRequest(origin, "/endless"))
                if count % 2 == 0 { for try await _ in bytes { break } }
            }
            #expect(await origin.waitFor { $0.openConnections == 0 })
        }
        for _ in 0..<5 {
            let (bytes, _) = try await session.bytes(for: URLRequest(origin))
            for try await piece in bytes { #expect(piece == Data("answer".utf8)) }
        }
        #expect(origin.connectionCount == 21)
        #expect(ClientSockets.count(to: origin.port) == 1)
    }

    @Test func `keeps its session alive`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"), .hold, .send("answer")]
        }
        let (bytes, _) = try await Session.limited().bytes(for: URLRequest(origin))
        try origin.release()
        var body = Data()
        for try await piece in bytes { body += piece }
        #expect(body == Data("answer".utf8))
    }

    @Test func `cancelling the reader ends the wait for more`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .hold]
        }
        let session = Session.limited()
        let (bytes, _) = try await session.bytes(for: URLRequest(origin))
        let (pieces, told) = AsyncStream.makeStream(of: Data.self)
        let reader = Task { () async -> SessionError? in
            do throws(SessionError) {
                var iterator = bytes.makeAsyncIterator()
                while let piece = try await iterator.next() { told.yield(piece) }
                return nil
            } catch {
                return error
            }
        }
        for await piece in pieces where piece == Data("half".utf8) { break }
        reader.cancel()
        #expect(await reader.value?.reason.isCancellation == true)
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test(arguments: [false, true]) func `a reader that stops stops the server`(isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { _, _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: \(64 << 20)\r\n\r\n"),
                .repeat(Array(repeating: 1, count: 65536), count: 1024),
            ]
        }
        let session = try Session.trusting(authority)
        let (bytes, _) = try await session.bytes(for: URLRequest(origin))
        var iterator = bytes.makeAsyncIterator()
        var count = try await iterator.next()?.count ?? 0
        #expect(await origin.bytesSentOnceStalled() < 16 << 20)
        while let piece = try await iterator.next() {
            #expect(piece.count <= 1 << 20)
            count += piece.count
        }
        #expect(count == 64 << 20)
        #expect(origin.observations.bytesSent >= 64 << 20)
    }

    /// A body of 64 MB whose reader has not come yet, and whose socket has been paused for that.
    private func stalled(_ origin: ScriptedOrigin, _ session: Session) async throws -> (BodyStream, SessionTask) {
        let stream = BodyStream()
        let task = session.dataTask(with: try URLRequest(origin), delegate: stream)
        _ = try await stream.response(of: task).get()
        while await onReactor(task, { task.attempt.carrier?.isPaused == false }) { await Task.yield() }
        return (stream, task)
    }

    private func bulk(_ authority: CertificateAuthority?, _ ending: [OriginStep] = []) throws -> ScriptedOrigin {
        try ScriptedOrigin(tls: authority?.issue()) { _, _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: \(64 << 20)\r\n\r\n"),
                .repeat(Array(repeating: 1, count: 65536), count: ending.isEmpty ? 1024 : 256),
            ] + ending
        }
    }

    @Test(arguments: [false, true])
    func `however a body is read, no more waits for its reader than two ticks bring, and one that is on the way`(
        isSecure: Bool
    ) async throws {
        let authority = try CertificateAuthority()
        let origin = try bulk(isSecure ? authority : nil)
        let session = try Session.trusting(authority)
        let (stream, task) = try await stalled(origin, session)
        var (count, most, random) = (Int64(0), Int64(0), SeededGenerator(seed: 3))
        while true {
            most = max(most, task.countOfBytesReceived - count)
            guard let piece = try await stream.next(of: task).get() else { break }
            count += Int64(piece.count)
            // At once, or late.
            for _ in 0..<[0, 0, 0, 200].randomElement(using: &random)! { await Task.yield() }
        }
        #expect(count == 64 << 20)
        #expect(most > Valve.highWater)
        #expect(most <= Valve.highWater + TickAllowance.maximum)
    }

    @Test(arguments: [false, true], [OriginStep.close, .reset])
    func `a body that breaks while its socket is paused throws behind what came of it`(
        isSecure: Bool, ending: OriginStep
    ) async throws {
        let authority = try CertificateAuthority()
        let origin = try bulk(isSecure ? authority : nil, [ending])
        let session = try Session.trusting(authority)
        let (stream, task) = try await stalled(origin, session)
        var count = 0
        let error = await #expect(throws: SessionError.self) {
            while let piece = try await stream.next(of: task).get() { count += piece.count }
        }
        #expect(error?.phase == .body)
        #expect(count <= 16 << 20)
        if case .close = ending { #expect(count == 16 << 20) }
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `a suspended body is not received for its reader either`() async throws {
        let origin = try bulk(nil)
        let session = Session.limited()
        let (stream, task) = try await stalled(origin, session)
        task.suspend()
        var count: Int64 = 0
        let all = task.countOfBytesReceived
        while count < all, let piece = try await stream.next(of: task).get() { count += Int64(piece.count) }
        let waiting = Task { try await stream.next(of: task).get()?.count }
        for _ in 0..<1000 { await Task.yield() }
        #expect(task.countOfBytesReceived == all)
        task.resume()
        #expect(try await waiting.value ?? 0 > 0)
        task.cancel()
    }

    @Test(arguments: [1, 65536, 300_000]) func `a large body that stalls is handed over as far as it came`(
        _ size: Int
    ) async throws {
        let origin = try ScriptedOrigin { _, _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: \(64 << 20)\r\n\r\n"),
                .send(Array(repeating: 1, count: size)), .hold,
            ]
        }
        let (bytes, _) = try await Session.limited().bytes(for: URLRequest(origin))
        var (iterator, count) = (bytes.makeAsyncIterator(), 0)
        while count < size, let piece = try await iterator.next() { count += piece.count }
        #expect(count == size)
    }

    @Test(arguments: [false, true]) func `any pace of reading gets every byte`(isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { _, _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: \(8 << 20)\r\n\r\n"),
                .repeat((0..<65536).map { UInt8(truncatingIfNeeded: $0 % 251) }, count: 128),
            ]
        }
        let session = try Session.trusting(authority, connections: 4)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for _ in 0..<5 {
                        let (bytes, _) = try await session.bytes(for: URLRequest(origin))
                        var (count, isRight) = (0, true)
                        for try await piece in bytes {
                            // The pattern repeats every 64 KB.
                            isRight = isRight && piece.first == UInt8(truncatingIfNeeded: count % 65536 % 251)
                            count += piece.count
                            for _ in 0..<worker * 3 { await Task.yield() }
                        }
                        #expect(isRight)
                        #expect(count == 8 << 20)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

extension Processes {
    @Suite struct SlowReaderTests {
        @Test(.disabled(if: Sanitizer.isWatching, "the process then keeps freed memory"))
        func `a slow reader costs little memory`() async {
            await #expect(processExitsWith: .success) {
                let origin = try ScriptedOrigin { _, _ in
                    [.send("HTTP/1.1 200 OK\r\n\r\n"), .repeat(Array(repeating: 1, count: 65536), count: 4096), .close]
                }
                let session = Session.limited()
                let (bytes, _) = try await session.bytes(for: URLRequest(origin))
                var (count, peak) = (0, 0)
                var first = 0
                for try await piece in bytes {
                    count += piece.count
                    if first == 0, count > 8 << 20 { first = residentBytes() }
                    peak = max(peak, residentBytes())
                }
                #expect(count == 256 << 20)
                #expect(peak - first < 4 << 20, "\(peak - first) bytes more")
            }
        }
    }
}

/// What this process holds in memory now.
private func residentBytes() -> Int {
    guard let file = unsafe fopen("/proc/self/statm", "r") else { return 0 }
    defer { unsafe fclose(file) }
    var text = [UInt8](repeating: 0, count: 256)
    let length = unsafe fread(&text, 1, text.count, file)
    let pages = String(decoding: text[..<length], as: UTF8.self).split(separator: " ").dropFirst().first
    return (pages.flatMap { Int($0) } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
}
