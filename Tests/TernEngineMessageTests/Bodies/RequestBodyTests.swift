// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernHTTP1
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
@testable import TernIO

/// Every kind of content, as the server receives it, and when it must be sent again.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RequestBodyTests {
    enum Kind: CaseIterable, Sendable {
        case data, file, stream, announcedStream, once, announcedOnce, sequence, onceSequence

        func content(_ body: Data, _ file: TestFile) -> RequestBody {
            let pieces = stride(from: 0, to: body.count, by: 60_000).map { body.dropFirst($0).prefix(60_000) }
            return switch self {
            case .data: .data(body)
            case .file: .file(path: file.path)
            case .stream: .stream { ProbingSource(pieces) }
            case .announcedStream: .stream(length: body.count) { ProbingSource(pieces) }
            case .once: .once(ProbingSource(pieces))
            case .announcedOnce: .once(ProbingSource(pieces), length: body.count)
            case .sequence: .sequence { Self.sequence(pieces) }
            case .onceSequence: .sequence(Self.sequence(pieces), length: body.count)
            }
        }

        static func sequence(_ pieces: [Data]) -> AsyncStream<Data> {
            AsyncStream { continuation in
                for piece in pieces { continuation.yield(piece) }
                continuation.finish()
            }
        }

        var isAnnounced: Bool {
            switch self {
            case .data, .file, .announcedStream, .announcedOnce, .onceSequence: true
            case .stream, .once, .sequence: false
            }
        }

        var isReplayable: Bool {
            switch self {
            case .data, .file, .stream, .announcedStream, .sequence: true
            case .once, .announcedOnce, .onceSequence: false
            }
        }
    }

    private static func body(_ count: Int) -> Data {
        var generator = SeededGenerator(seed: 5)
        let pattern = Data((0..<4099).map { _ in UInt8.random(in: 0...255, using: &generator) })
        var data = Data(capacity: count + pattern.count)
        while data.count < count { data.append(pattern) }
        return Data(data.prefix(count))
    }

    private static let sizes = [0, 1, 16_383, 16_384, 16_385, 65_535, 65_536, 65_537, 1 << 20]

    @Test(arguments: Kind.allCases, [false, true])
    func `content of any kind and size arrives whole, framed as documented, and is accounted for`(
        kind: Kind, isSecure: Bool
    ) async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { _, _ in [.ok()] }
        let session = try Session.trusting(authority)
        let sizes = Self.sizes + (kind == .file || kind == .stream ? [20_000_000] : [])
        for size in sizes {
            let body = Self.body(size)
            let file = try TestFile(body)
            var request = try URLRequest(origin, method: "POST")
            request.body = kind.content(body, file)
            let recorder = UploadRecorder()
            session.dataTask(with: request, delegate: recorder).resume()
            #expect(await recorder.end().error == nil)
            let received = try #require(origin.requests.last)
            #expect(received.isComplete && Data(received.body) == body, "\(size)")
            #expect(received.value(of: "content-length") == (kind.isAnnounced ? "\(size)" : nil))
            #expect(received.value(of: "transfer-encoding") == (kind.isAnnounced ? nil : "chunked"))
            let steps = try #require(recorder.steps.first)
            #expect(recorder.steps.count == 1)
            #expect(steps.allSatisfy { $0.sent > 0 && $0.expected == (kind.isAnnounced ? Int64(size) : -1) })
            #expect(steps.reduce(0) { $0 + $1.sent } == Int64(size))
            #expect(steps.last?.total ?? 0 == Int64(size))
            #expect(file.openCount == 0)
        }
        #expect(origin.connectionCount == 1)
    }

    @Test(arguments: Kind.allCases, [307, 308])
    func `a redirect sends it from the beginning, or fails where it has none any more`(kind: Kind, status: Int)
        async throws
    {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/" ? [.respond(status: status, fields: [("Location", "/there")])] : [.ok()]
        }
        let session = Session.limited()
        let body = Self.body(100_000)
        let file = try TestFile(body)
        var request = try URLRequest(origin, method: "PUT")
        request.body = kind.content(body, file)
        let recorder = UploadRecorder()
        session.dataTask(with: request, delegate: recorder).resume()
        let error = await recorder.end().error
        guard kind.isReplayable else {
            guard case .transfer(.redirect(.bodyNotReplayable)) = error?.reason else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(await origin.waitFor { $0.openConnections == 0 })
            return
        }
        #expect(error == nil)
        #expect(origin.requests.map { Data($0.body) } == [body, body])
        #expect(origin.requests.map(\.method) == ["PUT", "PUT"])
        #expect(recorder.steps.map { $0.last?.total } == [100_000, 100_000])
        #expect(recorder.steps.allSatisfy { $0.first?.total == $0.first?.sent })
        #expect(file.openCount == 0)
        #expect(origin.connectionCount == 1)
    }

    @Test(arguments: [false, true])
    func `a redirect that becomes a GET takes none along, and the source is released once`(isEarly: Bool) async throws {
        let origin = try ScriptedOrigin(onHead: { _, request in
            isEarly && request.method == "POST"
                ? [.respond(status: 303, fields: [("Location", "/there")]), .awaitClose] : []
        }) { _, request in
            request.target == "/" ? [.respond(status: 303, fields: [("Location", "/there")])] : [.ok("there")]
        }
        let session = Session.limited()
        // One that never ends is released when the response has arrived.
        let source = ProbingSource { ask, _ in
            ask < 2 ? .bytes(Data(repeating: 1, count: 1000)) : isEarly ? .later : .end()
        }
        var request = try URLRequest(origin, method: "POST")
        request.body = .once(source)
        #expect(try await session.text(request) == "there")
        #expect(source.record == ProbingSource.Record(asks: 3, finishes: 1))
        // The first one may be noted last: it ends when its connection does.
        let redirected = origin.requests.first { $0.target == "/there" }
        #expect(redirected?.method == "GET")
        #expect(redirected?.announcesContent == false)
        #expect(origin.connectionCount == (isEarly ? 2 : 1))
    }

    @Test(arguments: Kind.allCases)
    func `on a kept-alive connection that is dead it is sent again where that does no harm`(kind: Kind) async throws {
        let origin = try ScriptedOrigin(onHead: { connection, request in
            connection == 1 && request.method == "PUT" ? [.reset] : []
        }) { _, _ in [.ok()] }
        let session = Session.limited()
        let body = Self.body(200_000)
        let file = try TestFile(body)
        var request = try URLRequest(origin, method: "PUT")
        request.body = kind.content(body, file)
        _ = try await session.text(URLRequest(origin))
        let recorder = UploadRecorder()
        session.dataTask(with: request, delegate: recorder).resume()
        let error = await recorder.end().error
        if kind.isReplayable {
            #expect(error == nil)
            #expect(origin.requests.last.map { Data($0.body) } == body)
            #expect(recorder.steps.last?.last?.total == 200_000)
            #expect(recorder.steps.last?.first.map { $0.total == $0.sent } == true)
        } else {
            #expect(error?.reason.isConnectionLoss == true)
            #expect(error?.wasSent == true)
        }
        #expect(file.openCount == 0)
    }

    @Test func `trailers go behind content whose length was not announced`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited()
        var request = try URLRequest(origin, method: "PUT")
        request.body = .once(ProbingSource([Data("x".utf8)], then: .end(trailers: ["Digest": "abc", "X-Sum": "1"])))
        _ = try await session.text(request)
        #expect(origin.requests.first?.trailers.map { "\($0.name): \($0.value)" } == ["Digest: abc", "X-Sum: 1"])

        let flawed: [(HeaderFields, Int?)] = [
            (["Content-Length": "1"], nil), (["Host": "elsewhere"], nil), (["X": "a\r\nY: b"], nil),
            (["a b": "c"], nil),
            (["X-Sum": "1"], 1),
        ]
        for (trailers, length) in flawed {
            let source = ProbingSource([Data("x".utf8)], then: .end(trailers: trailers))
            request.body = .once(source, length: length)
            let error = await session.failure(of: request)
            guard case .request(.body(.unencodable)) = error?.reason else {
                Issue.record("\(trailers): \(String(describing: error))")
                continue
            }
            #expect(source.record.finishes == 1)
        }
        #expect(origin.observations.requestCount <= 2)
    }

    @Test func `an impossible length is reported before anything is sent`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let source = ProbingSource([])
        var request = try URLRequest(origin, method: "PUT")
        request.body = .once(source, length: -1)
        #expect(await Session.limited().failure(of: request)?.reason.invalidity != nil)
        #expect(source.record == ProbingSource.Record(asks: 0, finishes: 1))
        #expect(origin.connectionCount == 0)
    }

    enum Farewell: CaseIterable, Sendable { case staysOpen, close, reset }

    @Test(arguments: Farewell.allCases, [Kind.file, .stream])
    func `an answer that arrives during the upload is the answer, and the content is released`(
        farewell: Farewell, kind: Kind
    ) async throws {
        let origin = try ScriptedOrigin(
            .smallWindow,
            onHead: { _, request in
                guard request.method == "PUT" else { return [] }
                let answer: [ScriptedOrigin.Step] = [.receive(8192), .respond(status: 413, body: "too large"), .hold]
                return answer + [farewell == .close ? .close : farewell == .reset ? .reset : .awaitClose]
            }
        ) { _, _ in [.ok("answer")] }
        let session = Session.limited()
        let body = Self.body(16 << 20)
        let file = try TestFile(body)
        let source = ProbingSource { ask, _ in ask < 300 ? .bytes(body.prefix(60_000)) : .later }
        var request = try URLRequest(origin, method: "PUT")
        request.body = kind == .file ? .file(path: file.path) : .stream { source }
        let delegate = RecordingDelegate()
        session.dataTask(with: request, delegate: delegate).resume()
        let record = await delegate.end()
        try origin.release()
        #expect(record.error == nil)
        #expect(record.body == Array("too large".utf8))
        #expect(file.openCount == 0)
        #expect(source.record.finishes == (kind == .file ? 0 : 1))
        #expect(try await session.text(URLRequest(origin)) == "answer")
        #expect(origin.connectionCount == 2)
    }

    @Test func `sending continues while its task is suspended`() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok("\(request.body.count)")] }
        let session = Session.limited()
        var request = try URLRequest(origin, method: "PUT")
        request.body = .data(Self.body(8 << 20))
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: request, delegate: delegate)
        task.suspend()
        task.resume()
        #expect(await origin.waitFor { $0.requestCount == 1 })
        for _ in 0..<3 { await session.settle() }
        #expect(delegate.record.events.isEmpty)
        task.resume()
        #expect(await delegate.end().body == Array("\(8 << 20)".utf8))
    }
}

extension ReceivedRequest {
    fileprivate var announcesContent: Bool {
        value(of: "content-length") != nil || value(of: "transfer-encoding") != nil
    }
}

@Suite struct FileRangeTests {
    @Test func `what was sent is dropped, and never more than there is`() throws {
        let folder = try TestFolder()
        try folder.write("0123456789", to: "file")
        let file = try #require(try FileRange.File(path: folder.path + "/file"))
        let range = FileRange(file: file, range: 2..<8, whenShort: nil)
        #expect(range.dropping(0).range == 2..<8)
        #expect(range.dropping(4).range == 6..<8)
        #expect(range.dropping(6).range == 8..<8)
        #expect(range.dropping(100).range == 8..<8)
    }

    @Test func `what is no regular file is not opened, and what is missing is an error`() throws {
        let folder = try TestFolder()
        let fifo = folder.path + "/fifo"
        unsafe mkfifo(fifo, 0o600)
        #expect(try FileRange.File(path: fifo) == nil)
        #expect(try FileRange.File(path: folder.path) == nil)
        #expect(throws: SystemCallError.self) { try FileRange.File(path: folder.path + "/missing") }
        #expect(throws: SystemCallError.self) { try FileRange.File(path: fifo + "\0") }
    }
}

@Suite struct FileReaderTests {
    private func file(_ path: String) throws -> FileReader? {
        try FileReader(unsized: #require(try FileRange.File(path: path)))
    }

    @Test func `a file that is made when it is read is sent to its end`() throws {
        let source = try #require(try file("/proc/self/status"))
        var content = Data()
        while case .bytes(let chunk) = source.next(atMost: 100, wake: {}) {
            #expect(chunk.count <= 100)
            content += chunk
        }
        #expect(String(decoding: content, as: UTF8.self).contains("\nPid:"))
        guard case .end = source.next(atMost: 100, wake: {}) else {
            Issue.record("bytes after the end")
            return
        }
    }

    @Test func `an empty file and one that has a size are none`() throws {
        let folder = try TestFolder()
        try folder.write("", to: "empty")
        try folder.write("x", to: "sized")
        #expect(try file(folder.path + "/empty") == nil)
        #expect(try file(folder.path + "/sized") == nil)
    }
}
