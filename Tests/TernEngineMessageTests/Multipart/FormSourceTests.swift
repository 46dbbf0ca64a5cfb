// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernFiles
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Forms whose parts do not keep their word.
@Suite(.timeLimit(.minutes(2))) struct FormSourceTests {
    private static func request(_ origin: ScriptedOrigin, _ form: MultipartForm) throws -> URLRequest {
        var request = try URLRequest(origin, method: "POST")
        request.setForm(form)
        return request
    }

    private static func formError(_ error: SessionError?) -> MultipartFormError? {
        guard case .request(.body(.failed(let reason))) = error?.reason else { return nil }
        return reason as? MultipartFormError
    }

    @Test func `a file that is longer, shorter or gone when it is read fails the request`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited()
        for size in [0, 999, 1001] {
            let file = try TestFile(Data(count: 1000))
            var form = MultipartForm()
            try form.append(file: file.path, name: "file")
            file.resize(to: size)
            let error = await session.failure(of: try Self.request(origin, form))
            #expect(Self.formError(error) == .fileChanged(path: file.path, length: 1000))
        }
        var form = MultipartForm()
        let path = try {
            let file = try TestFile(Data(count: 1000))
            try form.append(file: file.path, name: "file")
            return file.path
        }()
        let error = await session.failure(of: try Self.request(origin, form))
        guard case .unreadable(path, let system)? = Self.formError(error) else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(system.code == ENOENT)
        #expect(origin.observations.requestCount == 0)
    }

    @Test(arguments: [0, 65_536, 400_000]) func `a file that changes while it is read fails the request`(size: Int)
        throws
    {
        let file = try TestFile(Data(count: 200_000))
        var form = MultipartForm()
        try form.append(file: file.path, name: "file")
        let source = form.makeSource()
        defer { source.finish() }
        guard case .bytes = source.next(atMost: 65_536, wake: {}) else {
            Issue.record("no first piece")
            return
        }
        file.resize(to: size)
        while true {
            switch source.next(atMost: 65_536, wake: {}) {
            case .bytes: continue
            case .failed(let error):
                #expect(error as? MultipartFormError == .fileChanged(path: file.path, length: 200_000))
            case .later, .end: Issue.record("the change was not seen")
            }
            break
        }
    }

    /// What a form of a text, a long file and a short one is, and what of it leaves by files.
    private static func form(_ file: TestFile, _ short: TestFile) throws -> MultipartForm {
        var form = MultipartForm()
        form.append("text", name: "text")
        try form.append(file: file.path, name: "file")
        try form.append(file: short.path, name: "short")
        return form
    }

    @Test(arguments: [false, true], [Int.max, 100_000, 997])
    func `a long file is sent by the kernel where nothing is sealed`(isSecure: Bool, atOnce: Int) throws {
        let file = try TestFile(Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 3) }))
        let short = try TestFile(Data("short".utf8))
        let form = try Self.form(file, short)
        var whole = Data()
        try Self.read(form.makeSource()) { whole += $0 }
        var dialogue = OutgoingDialogue()
        try dialogue.begin(form.body)
        dialogue.outlet.isSecure = isSecure
        dialogue.outlet.atOnce = atOnce
        #expect(try dialogue.send() == .none)
        #expect(Data(dialogue.content) == whole)
        #expect(dialogue.outlet.takenFromFiles == (isSecure ? 0 : 200_000))
        #expect(dialogue.outgoing.contentHandedOver == Int64(whole.count))
        #expect(file.openCount + short.openCount == 0)
    }

    @Test(arguments: [false, true], [0, 65_536, 400_000])
    func `a long file that changes while it is sent fails the request`(isSecure: Bool, size: Int) throws {
        let file = try TestFile(Data(count: 200_000))
        let short = try TestFile(Data("short".utf8))
        let form = try Self.form(file, short)
        var dialogue = OutgoingDialogue()
        try dialogue.begin(form.body)
        dialogue.outlet.isSecure = isSecure
        dialogue.outlet.room = 70_000
        #expect(try dialogue.send() == .writability)
        file.resize(to: size)
        dialogue.outlet.room = .max
        #expect(
            dialogue.failure()
                == "its source failed: \(MultipartFormError.fileChanged(path: file.path, length: 200_000))")
        dialogue.drop()
        #expect(file.openCount + short.openCount == 0)
    }

    @Test func `in chunks a file is read, for their frames lie around it`() throws {
        let file = try TestFile(Data(count: 200_000))
        let short = try TestFile(Data("short".utf8))
        var form = try Self.form(file, short)
        try form.append(ProbingSource([Data("piece".utf8)]), length: nil, name: "stream")
        var dialogue = OutgoingDialogue()
        try dialogue.begin(form.body)
        #expect(try dialogue.send() == .none)
        #expect(dialogue.outlet.takenFromFiles == 0)
        #expect(dialogue.text.hasSuffix("\r\n0\r\n\r\n"))
        #expect(file.openCount + short.openCount == 0)
    }

    /// All that a source returns without waiting.
    private static func read(_ source: any BodySource, _ take: (Data) -> Void) throws {
        defer { source.finish() }
        while case .bytes(let bytes) = source.next(atMost: 65_536, wake: {}) { take(bytes) }
    }

    @Test func `a stream that does not keep its word fails the request`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited()
        let piece = Data(count: 1000)
        let cases: [(ProbingSource, Int?, MultipartFormError)] = [
            (ProbingSource([piece]), 1001, .streamTooShort(missing: 1)),
            (ProbingSource([piece, piece]), 1999, .streamTooLong(excess: 1)),
            (ProbingSource([piece]), 0, .streamTooLong(excess: 1000)),
            // It never ends.
            (ProbingSource { _, _ in .bytes(piece) }, 10_000, .streamTooLong(excess: 1000)),
        ]
        for (source, length, expected) in cases {
            var form = MultipartForm()
            try form.append(source, length: length, name: "stream")
            #expect(Self.formError(await session.failure(of: try Self.request(origin, form))) == expected)
            #expect(source.record.finishes == 1)
            #expect(!source.record.isMisused)
        }
        let failing = ProbingSource([piece], then: .failed(SourceFailure()))
        var form = MultipartForm()
        try form.append(failing, length: nil, name: "stream")
        let error = await session.failure(of: try Self.request(origin, form))
        guard case .request(.body(.failed(let reason))) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason is SourceFailure)
        #expect(failing.record.finishes == 1)
    }

    @Test func `a stream that has nothing ready is waited for, and its beginning goes out before`() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok("\(request.body.count)")] }
        let wakes = Lock<[@Sendable () -> Void]>([])
        let source = ProbingSource { ask, wake in
            switch ask {
            case 0:
                wakes.withLock { $0.append(wake) }
                return .later
            case 1: return .bytes(Data("late".utf8))
            // It is as long as it said, and has nothing to add: it is not waited for.
            default: return .later
            }
        }
        var form = MultipartForm()
        try form.append(source, length: 4, name: "stream")
        form.append("last", name: "text")
        let delegate = RecordingDelegate()
        let session = Session.limited()
        session.dataTask(with: try Self.request(origin, form), delegate: delegate).resume()
        #expect(await origin.waitFor { $0.bytesReceived > 0 })
        let end = ContinuousClock.now + .seconds(30)
        while wakes.withLock(\.isEmpty), .now < end { await Task.yield() }
        for wake in wakes.withLock({ $0 }) { wake() }
        #expect(await delegate.end().body == Array("\(form.contentLength ?? 0)".utf8))
        #expect(source.record == ProbingSource.Record(asks: 3, finishes: 1))
    }

    @Test func `five gigabytes are announced, and read chunk by chunk`() throws {
        let file = try TestFile(Data())
        file.resize(to: 5 << 30)
        var form = MultipartForm()
        try form.append(file: file.path, name: "file")
        try form.append(file: file.path, name: "again")
        #expect(form.partsLength == 10 << 30)
        let source = form.makeSource()
        for _ in 0..<100 {
            guard case .bytes(let piece) = source.next(atMost: 65_536, wake: {}) else {
                Issue.record("no piece")
                return
            }
            #expect(piece.count == 65_536)
        }
        #expect(file.openCount == 1)
        source.finish()
        #expect(file.openCount == 0)
    }

    @Test func `a cancelled upload closes its file`() async throws {
        let origin = try ScriptedOrigin(.smallWindow, onHead: { _, _ in [.hold] }) { _, _ in [.ok()] }
        let file = try TestFile(Data(count: 4_000_000))
        var form = MultipartForm()
        try form.append(file: file.path, name: "file")
        let delegate = UploadRecorder()
        let session = Session.limited()
        let task = session.dataTask(with: try Self.request(origin, form), delegate: delegate)
        task.resume()
        #expect(await origin.waitFor { $0.bytesReceived > 0 })
        task.cancel()
        #expect(await delegate.end().error?.reason.isCancellation == true)
        #expect(file.openCount == 0)
        let expected = Int64(form.contentLength ?? 0)
        #expect(delegate.steps.flatMap { $0 }.allSatisfy { $0.expected == expected })
    }
}

@Suite struct FormPieceTests {
    @Test func `a chunk takes what it has room for`() {
        var piece = FormPiece()
        piece.begin(atMost: 5)
        let counts = [piece.append(Data("abc".utf8)), piece.append(Data("def".utf8)), piece.append(Data("g".utf8))]
        #expect(counts == [3, 2, 0])
        #expect(piece.room == 0)
        #expect(piece.take() == Data("abcde".utf8))
    }

    @Test func `bytes that are referenced do not change as the next chunk is filled`() {
        var piece = FormPiece()
        piece.begin(atMost: 3)
        _ = piece.append(Data("abc".utf8))
        let first = piece.take()
        piece.begin(atMost: 3)
        #expect(piece.isEmpty)
        _ = piece.append(Data("xyz".utf8))
        #expect(first == Data("abc".utf8))
        #expect(piece.take() == Data("xyz".utf8))
    }

    @Test func `a part of a file ends with the part, though the file continues`() throws {
        let folder = try TestFolder()
        try folder.write("12345", to: "file")
        let part = try FormFile(path: folder.path + "/file")
        try folder.write("1234567", to: "file")
        let file = try #require(try FileRange.File(path: part.path))
        var piece = FormPiece()
        piece.begin(atMost: 100)
        let counts = [
            try piece.append(file.source, part, at: 2), try piece.append(file.source, part, at: 5),
        ]
        #expect(counts == [3, 0])
        #expect(piece.take() == Data("345".utf8))
        #expect(try FormPiece.finds(file.source, part, at: 5))
        #expect(try !FormPiece.finds(file.source, part, at: 7))
    }
}

@Suite struct FormFileTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    @Test func `a file that has another length when it is sent is an error`() throws {
        let path = folder.path + "/file"
        try folder.write("12345", to: "file")
        let file = try FormFile(path: path)
        #expect(file.length == 5)
        #expect(try file.open().source.size == 5)
        try folder.write("1234", to: "file")
        #expect(throws: MultipartFormError.fileChanged(path: path, length: 5)) { try file.open() }
    }

    @Test func `only a regular file has a length to announce`() throws {
        #expect(throws: MultipartFormError.noRegularFile(path: folder.path)) { try FormFile(path: folder.path) }
        let fifo = folder.path + "/fifo"
        unsafe mkfifo(fifo, 0o600)
        #expect(throws: MultipartFormError.noRegularFile(path: fifo)) { try FormFile(path: fifo) }
        #expect(throws: MultipartFormError.self) { try FormFile(path: folder.path + "/missing") }
    }
}

@Suite struct FormSegmentTests {
    @Test(
        arguments: [
            (1, 2, 3), (nil, 2, nil), (2, nil, nil), (Int.max, 1, nil), (Int.max, 0, Int.max),
        ] as [(Int?, Int?, Int?)])
    func `a sum is unknown if a part is, or if it is too large`(one: Int?, other: Int?, sum: Int?) {
        #expect(FormSegment.sum(one, other) == sum)
    }

    @Test func `data can be read again`() {
        #expect(FormSegment.data(Data("ab".utf8)).isReplayable)
        #expect(FormSegment.data(Data("ab".utf8)).length == 2)
    }
}
