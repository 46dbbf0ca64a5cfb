// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestProofs
import Testing

@testable import Tern
@testable import TernFoundation

@Suite(.timeLimit(.minutes(5))) struct InputStreamContentTests {
    /// A session with one thread for everything.
    private let session: Session = {
        var configuration = SessionConfiguration.default
        configuration.reactorCount = 1
        return Session(configuration: configuration)
    }()

    private static let room = StreamRecord.Event.read(InputStreamContent.pieceSize)

    private static func echo() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in [.ok("\(request.body.count)")] }
    }

    private static func pattern(_ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    }

    private func upload(_ content: RequestBody, to origin: ScriptedOrigin) async throws -> String {
        let (answer, _) = try await session.upload(for: URLRequest(string: origin.url()), from: content)
        return String(decoding: answer, as: UTF8.self)
    }

    private func failure(of content: RequestBody, to origin: ScriptedOrigin) async -> SessionError.Reason? {
        do {
            _ = try await upload(content, to: origin)
            return nil
        } catch { return (error as? SessionError)?.reason }
    }

    @Test func `a file of a megabyte arrives byte for byte`() async throws {
        let origin = try Self.echo()
        let body = Self.pattern(1 << 20)
        let file = FileManager.default.temporaryDirectory.appending(path: "tern-\(UUID().uuidString)")
        try body.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let content = try Self.content(of: file)
        #expect(try await upload(content, to: origin) == "\(body.count)")
        #expect(origin.requests.first.map { Data($0.body) } == body)
    }

    @Test func `a file that is not there fails the request with the stream's reason`() async throws {
        let origin = try Self.echo()
        let file = FileManager.default.temporaryDirectory.appending(path: "tern-\(UUID().uuidString)")
        let reason = await failure(of: try Self.content(of: file), to: origin)
        guard case .request(.body(.failed(let error))) = reason else {
            Issue.record("\(String(describing: reason))")
            return
        }
        #expect((error as NSError).code == ENOENT)
        #expect(origin.observations.requestCount == 0)
    }

    private static func content(of file: URL) throws -> RequestBody {
        guard let stream = InputStream(url: file) else { throw CocoaError(.fileReadUnknown) }
        return .inputStream(stream)
    }

    enum Flaw: CaseIterable, Sendable {
        case short, long, broken, brokenWithoutReason, lying

        func content(_ record: StreamRecord) -> RequestBody {
            let outcomes: [ScriptedStream.Outcome] =
                switch self {
                case .short: [.bytes([1, 2, 3]), .end]
                case .long: [.bytes([1, 2]), .bytes([3, 4, 5]), .end]
                case .broken: [.bytes([1]), .failure(StreamFailure())]
                case .brokenWithoutReason: [.failure(nil)]
                case .lying: [.lie]
                }
            let length = self == .short || self == .long ? 4 : nil
            return .inputStream(ScriptedStream(record) { outcomes[$0] }, length: length)
        }

        func isTold(by reason: SessionError.Reason?) -> Bool {
            guard case .request(.body(let error)) = reason else { return false }
            return switch (self, error) {
            case (.short, .tooShort(missing: 1)), (.long, .tooLong(excess: 1)): true
            case (.broken, .failed(let error)): error is StreamFailure
            case (.brokenWithoutReason, .failed(let error)), (.lying, .failed(let error)): error is CocoaError
            default: false
            }
        }
    }

    @Test(arguments: Flaw.allCases)
    func `a stream that does not keep its word fails the request, and is closed`(flaw: Flaw) async throws {
        let origin = try Self.echo()
        let record = StreamRecord()
        let reason = await failure(of: flaw.content(record), to: origin)
        #expect(flaw.isTold(by: reason), "\(String(describing: reason))")
        await record.next(.close)
        #expect(record.events.filter { $0 == .open || $0 == .close } == [.open, .close])
        #expect(origin.observations.requestCount == 0)
    }

    @Test(.proves("14.1b"), arguments: UnreadableStream.allCases)
    func `a stream that cannot be read fails the request, and nothing else`(kind: UnreadableStream) async throws {
        let origin = try Self.echo()
        let stream = try kind.make()
        guard case .request(.body(.failed)) = await failure(of: .inputStream(stream), to: origin) else {
            Issue.record("\(kind) was sent.")
            return
        }
        #expect(origin.observations.requestCount == 0)
    }

    @Test(.proves("14.1a"), arguments: ReadableStream.Word.allCases)
    func `a stream is read whatever it says of itself`(word: ReadableStream.Word) async throws {
        let origin = try Self.echo()
        #expect(try await upload(.inputStream(ReadableStream(word)), to: origin) == "3")
    }

    @Test func `while a read waits, other requests are answered by the same thread`() async throws {
        let origin = try Self.echo()
        let record = StreamRecord()
        let isThere = DispatchSemaphore(value: 0)
        let content = RequestBody.inputStream(
            ScriptedStream(record) { read in
                if read > 0 { return .end }
                isThere.wait()
                return .bytes([1, 2, 3])
            })
        async let answer = upload(content, to: origin)
        await record.next(Self.room)
        #expect(try await upload(.data(Data("meanwhile".utf8)), to: origin) == "9")
        isThere.signal()
        #expect(try await answer == "3")
        await record.next(.close)
        #expect(record.events == [.open, Self.room, Self.room, .close])
    }

    @Test func `a stream that is not asked for is closed, and not opened`() async throws {
        let record = StreamRecord()
        do {
            var request = try URLRequest(string: "http://127.0.0.1/")
            request.body = .inputStream(ScriptedStream(record) { _ in .end })
        }
        await record.next(.close)
        #expect(record.events == [.close])
    }
}

@Suite(.timeLimit(.minutes(5))) struct InputStreamReaderTests {
    private let session = Session(configuration: .default)

    private static let room = StreamRecord.Event.read(InputStreamContent.pieceSize)

    private func failure(of content: RequestBody, to origin: ScriptedOrigin) async -> SessionError.Reason? {
        do {
            _ = try await session.upload(for: URLRequest(string: origin.url()), from: content)
            return nil
        } catch { return (error as? SessionError)?.reason }
    }

    private static func echo() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in [.ok("\(request.body.count)")] }
    }

    @Test func `a request that is cancelled midway closes the stream, once its read returns`() async throws {
        let origin = try Self.echo()
        let record = StreamRecord()
        let isThere = DispatchSemaphore(value: 0)
        let content = RequestBody.inputStream(
            ScriptedStream(record) { read in
                if read > 0 { isThere.wait() }
                return .bytes([1, 2, 3])
            })
        let task = Task { await failure(of: content, to: origin) }
        await record.next(Self.room)
        await record.next(Self.room)
        task.cancel()
        let reason = await task.value
        guard case .cancelled = reason else {
            Issue.record("\(String(describing: reason))")
            return
        }
        #expect(record.events == [.open, Self.room, Self.room])
        isThere.signal()
        await record.next(.close)
        #expect(record.events == [.open, Self.room, Self.room, .close])
    }

    @Test func `one chunk is read ahead of the connection, and no more`() async throws {
        let record = StreamRecord()
        let source = InputStreamContent(ScriptedStream(record) { .bytes([UInt8(truncatingIfNeeded: $0)]) })
        let (wakes, continuation) = AsyncStream.makeStream(of: Void.self)
        guard case .later = source.next(atMost: 1_000_000, wake: { continuation.yield() }) else {
            Issue.record("A chunk exists before it was read.")
            return
        }
        _ = await wakes.first { _ in true }
        guard case .bytes(let piece) = source.next(atMost: 10, wake: {}) else {
            Issue.record("Woken for nothing.")
            return
        }
        #expect(piece == Data([0]))
        await record.next(.read(10))
        source.finish()
        await record.next(.close)
        #expect(record.events == [.open, Self.room, .read(10), .close])
    }
}

@Suite(.timeLimit(.minutes(5))) struct RequestBodyInputStreamTests {
    private let session = Session(configuration: .default)

    private static func echo() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in [.ok("\(request.body.count)")] }
    }

    private static func pattern(_ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    }

    private func upload(_ content: RequestBody, to origin: ScriptedOrigin) async throws -> String {
        let (answer, _) = try await session.upload(for: URLRequest(string: origin.url()), from: content)
        return String(decoding: answer, as: UTF8.self)
    }

    @Test(arguments: [0, 1, 65_536, 200_000], [false, true])
    func `its bytes arrive, with their length if that is known and in chunks if not`(count: Int, isKnown: Bool)
        async throws
    {
        let origin = try Self.echo()
        let body = Self.pattern(count)
        let content = RequestBody.inputStream(InputStream(data: body), length: isKnown ? count : nil)
        #expect(try await upload(content, to: origin) == "\(count)")
        let request = try #require(origin.requests.first)
        #expect(Data(request.body) == body)
        #expect(request.value(of: "content-length") == (isKnown ? "\(count)" : nil))
        #expect(request.value(of: "transfer-encoding") == (isKnown ? nil : "chunked"))
    }
}
