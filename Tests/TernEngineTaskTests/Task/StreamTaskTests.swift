// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct StreamTaskTests: StreamDialogue {
    /// A stream does not keep its session.
    private let session = Session.limited()

    @Test func `reads what a server says first, in the portions that are asked for`() async throws {
        let origin = try Self.server([.send("220 hello\r\n"), .close])
        let task = Self.stream(to: origin, session)
        #expect(try await Self.read(task, 3, 3) == ("220", false))
        #expect(try await Self.read(task, 1, 1) == (" ", false))
        #expect(try await Self.read(task, 100, 100) == ("hello\r\n", true))
        #expect(try await Self.read(task) == ("", true))
    }

    @Test func `what is written arrives, and the end behind it`() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok(request.bodyText), .close] }
        let task = Self.stream(to: origin, session)
        try await task.write(
            Data("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n".utf8), timeout: .seconds(60))
        try await task.write(Data("hello".utf8), timeout: .seconds(60))
        task.closeWrite()
        #expect(try await Self.read(task, 10_000, 10_000) == ("HTTP/1.1 200 \r\nContent-Length: 5\r\n\r\nhello", true))
        #expect(
            await Self.failure { try await task.write(Data("x".utf8), timeout: .seconds(60)) }?.reason.kind
                == .streamClosed)
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `a closed half leaves the other open, and both end the task`() async throws {
        let origin = try Self.server([.awaitClose])
        let recorder = Recorder()
        let task = session.streamTask(withHostName: "localhost", port: Int(origin.port), delegate: recorder)
        task.resume()
        try await task.write(Data("x".utf8), timeout: .seconds(60))
        task.closeRead()
        #expect(await Self.failure { try await Self.read(task) }?.reason.kind == .streamClosed)
        #expect(task.state == .running)
        task.closeWrite()
        await recorder.end.value
        #expect(recorder.words == ["open", "read closed", "write closed", "end"])
        #expect(task.state == .completed && task.error == nil)
        #expect(await origin.waitFor { $0.openConnections == 0 && $0.closes.first?.kind == .fin })
    }

    @Test func `bytes without a read are not received`() async throws {
        let origin = try Self.server([.repeat(Array(repeating: 0x61, count: 65536), count: 1 << 14)])
        let task = Self.stream(to: origin, session)
        #expect(try await Self.read(task, 10, 10) == ("aaaaaaaaaa", false))
        #expect(await origin.bytesSentOnceStalled() < 64 << 20)
        task.cancel()
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `a peer that does not read keeps a write waiting, until its time is up`() async throws {
        let origin = try Self.server([.hold])
        let task = Self.stream(to: origin, session)
        let piece = Data(repeating: 0x61, count: 64 << 20)
        let failure = await Self.failure { try await task.write(piece, timeout: .milliseconds(200)) }
        #expect(failure?.reason.limit == .write)
        #expect(await Self.failure { try await task.write(Data("x".utf8), timeout: nil) }?.reason.limit == .write)
        task.cancel()
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `a broken connection fails the pending calls, and is reported to the delegate`() async throws {
        let origin = try Self.server([.send("ab"), .hold, .reset])
        let recorder = Recorder()
        let task = session.streamTask(withHostName: "127.0.0.1", port: Int(origin.port), delegate: recorder)
        task.resume()
        #expect(try await Self.read(task, 2, 2) == ("ab", false))
        try origin.release()
        #expect(await Self.failure { try await Self.read(task) }?.reason.isConnectionLoss == true)
        await recorder.end.value
        #expect(task.error?.reason.isConnectionLoss == true)
        #expect(recorder.words.last == "end connection-lost")
    }

    @Test func `a server that is not there fails the pending calls`() async throws {
        let origin = try Self.server([])
        origin.stop()
        let task = Self.stream(to: origin, session)
        let failure = await Self.failure { try await Self.read(task) }
        #expect(failure?.reason.kind == .unreachable)
        #expect(failure?.phase == .connect)
        #expect(await Self.failure { try await task.write(Data(), timeout: nil) }?.reason.kind == .unreachable)
    }

    @Test func `dropping the task closes its connection`() async throws {
        let origin = try Self.server([.send("hello"), .awaitClose])
        for _ in 0..<20 {
            let task = Self.stream(to: origin, session)
            #expect(try await Self.read(task, 5, 5) == ("hello", false))
        }
        #expect(await origin.waitFor { $0.connectionCount == 20 && $0.openConnections == 0 })
        #expect(session.allTasks.isEmpty)
    }

    @Test func `a task with a delegate lives without being held, and cancelling ends it`() async throws {
        let origin = try Self.server([.awaitClose])
        let recorder = Recorder()
        session.streamTask(withHostName: "127.0.0.1", port: Int(origin.port), delegate: recorder).resume()
        #expect(await origin.waitFor { $0.connectionCount == 1 })
        let task = try #require(session.allTasks.first)
        #expect(task is StreamTask)
        task.cancel()
        await recorder.end.value
        #expect(task.error?.reason.isCancellation == true)
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `the end of a session ends its streams, one that is idle and one that waits`() async throws {
        let origin = try Self.server([.send("x"), .awaitClose])
        var session: Session? = Session.limited()
        let tasks = try (0..<2).map { _ in Self.stream(to: origin, try #require(session)) }
        for task in tasks { #expect(try await Self.read(task) == ("x", false)) }
        let reader = Task { await Self.failure { try await Self.read(tasks[0]) } }
        session = nil
        let reason = await reader.value?.reason
        #expect(reason?.isInvalidation == true)
        #expect(await Self.failure { try await Self.read(tasks[1]) }?.reason.isInvalidation == true)
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `invalidating with cancellation ends streams, too, and waits for them`() async throws {
        let origin = try Self.server([.send("x"), .awaitClose])
        let task = Self.stream(to: origin, session)
        #expect(try await Self.read(task) == ("x", false))
        session.invalidateAndCancel()
        #expect(await Self.failure { try await Self.read(task) }?.reason.isCancellation == true)
        #expect(await origin.waitFor { $0.openConnections == 0 })
        let late = session.streamTask(withHostName: "127.0.0.1", port: Int(origin.port))
        late.resume()
        #expect(await Self.failure { try await Self.read(late) }?.reason.isInvalidation == true)
    }

    @Test func `while it is suspended nothing moves`() async throws {
        let origin = try Self.server([.send("x"), .awaitClose])
        let task = session.streamTask(withHostName: "127.0.0.1", port: Int(origin.port))
        #expect(task.state == .suspended)
        let reader = Task { try await Self.read(task) }
        task.resume()
        task.suspend()
        #expect(await origin.waitFor { $0.connectionCount == 1 })
        task.resume()
        #expect(try await reader.value == ("x", false))
        task.cancel()
    }

    @Test func `continues over TLS with a server that is trusted`() async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: authority.issue()) { _, _ in [.ok("answer"), .close] }
        let session = try Session.trusting(authority)
        let task = session.streamTask(withHostName: "localhost", port: Int(origin.port))
        task.resume()
        task.startSecureConnection()
        try await task.write(Data("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8), timeout: .seconds(60))
        let (text, isAtEnd) = try await Self.read(task, 10_000, 10_000)
        #expect(text.hasSuffix("\r\n\r\nanswer") && isAtEnd)
        task.closeWrite()
        #expect(await origin.waitFor { $0.handshakes.count == 1 && $0.openConnections == 0 })
        withExtendedLifetime(session) {}
    }

    @Test(arguments: [false, true]) func `a server that is not trusted, or not pinned, gets nothing`(isPinned: Bool)
        async throws
    {
        let (authority, other) = try (CertificateAuthority(), CertificateAuthority())
        let origin = try ScriptedOrigin(tls: authority.issue()) { _, _ in [.ok("answer")] }
        let pins = PinSet(pins: [try X509Certificate(pem: other.certificatePEM).publicKey])
        let session = try Session.trusting(
            isPinned ? authority : other, policies: isPinned ? ["localhost": .pinSet(pins)] : nil)
        let task = session.streamTask(withHostName: "localhost", port: Int(origin.port))
        task.resume()
        task.startSecureConnection()
        let failure = await Self.failure { try await task.write(Data("secret".utf8), timeout: .seconds(60)) }
        #expect(failure?.reason.trustFailure != nil)
        #expect(failure?.phase == .tls)
        #expect(await origin.waitFor { $0.failedHandshakes.count == 1 && $0.openConnections == 0 })
        #expect(origin.observations.headCount == 0)
        withExtendedLifetime(session) {}
    }

    @Test func `a stream over TLS that is cut off is an error`() async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: authority.issue()) { _, _ in [.send("half"), .closeAbruptly] }
        let session = try Session.trusting(authority)
        let task = session.streamTask(withHostName: "localhost", port: Int(origin.port))
        task.resume()
        task.startSecureConnection()
        try await task.write(Data("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8), timeout: .seconds(60))
        #expect(try await Self.read(task, 4, 100) == ("half", false))
        #expect(await Self.failure { try await Self.read(task) }?.reason.kind == .tls)
        withExtendedLifetime(session) {}
    }

    @Test func `what came in the clear and was not read never passes for secured`() async throws {
        let origin = try Self.server([.send("220 go on\r\nevil"), .awaitClose])
        let task = Self.stream(to: origin, session)
        let failure = await Self.failure {
            try await task.readData(ofMinLength: 100, maxLength: 100, timeout: .milliseconds(200))
        }
        #expect(failure?.reason.limit == .read)
        task.startSecureConnection()
        let end = await Self.failure { try await task.write(Data("secret".utf8), timeout: .seconds(60)) }
        #expect(end?.reason.malformation?.reason == .unsolicited(.bytes))
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }
}

/// The events of a stream task, as words.
private final class Recorder: StreamTaskDelegate {
    private let told = Lock<[String]>([])
    let end: Task<Void, Never>
    private let tellEnd: AsyncStream<Void>.Continuation

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        tellEnd = continuation
        end = Task { for await _ in stream { break } }
    }

    var words: [String] { told.withLock { $0 } }

    private func tell(_ word: String) { told.withLock { $0.append(word) } }

    func streamTask(_ task: StreamTask, didOpen connection: ConnectionMetrics) { tell("open") }
    func streamTaskDidCloseRead(_ task: StreamTask) { tell("read closed") }
    func streamTaskDidCloseWrite(_ task: StreamTask) { tell("write closed") }
    func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        tell("end" + (error.map { " \($0.reason.kind)" } ?? ""))
        tellEnd.yield()
    }
}
