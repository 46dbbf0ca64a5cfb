// SPDX-License-Identifier: Apache-2.0
// Safety: `mkfifo` and `chmod` are given terminated strings.
import FoundationEssentials
import Glibc
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
import TernLock

/// Files as content: sent by the kernel on plain connections, and read otherwise.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ContentFileTests {
    private static func request(_ origin: ScriptedOrigin, file path: String) throws -> URLRequest {
        var request = try URLRequest(origin, method: "PUT")
        request.body = .file(path: path)
        return request
    }

    @Test func `an unreadable file is reported before anything is sent`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited()
        let pipe = "/tmp/tern-pipe-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        defer { unsafe unlink(pipe) }
        // Once without a connection and once with one.
        for _ in 0..<2 {
            for path in [pipe, "/tmp", "/dev/null"] {
                let error = await session.failure(of: try Self.request(origin, file: path))
                #expect(error?.reason.invalidity == .unreadableContent(.noRegularFile(path: path)))
                #expect(error?.wasSent == false)
            }
            for (path, code) in [("/nowhere/at/all", ENOENT), ("", ENOENT), ("/tmp\0/x", EINVAL)] {
                let error = await session.failure(of: try Self.request(origin, file: path))
                guard case .unreadableContent(.unreadable(let reason, path)) = error?.reason.invalidity else {
                    Issue.record("\(path): \(String(describing: error))")
                    continue
                }
                #expect(reason.code == code)
            }
            #expect(try await session.text(URLRequest(origin)) == "")
        }
        #expect(origin.observations.headCount == 2)
        #expect(origin.connectionCount == 1)
    }

    @Test func `a FIFO is not even opened, and does not hold up what shares its reactor`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("pong")] }
        let session = Session.limited()
        let pipe = "/tmp/tern-pipe-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        defer { unsafe unlink(pipe) }
        let watch = inotify_init1(Int32(IN_NONBLOCK))
        defer { close(watch) }
        try #require(unsafe inotify_add_watch(watch, pipe, UInt32(IN_OPEN)) >= 0)
        var form = MultipartForm()
        #expect(throws: MultipartFormError.self) { try form.append(file: pipe, name: "file") }
        for _ in 0..<20 {
            async let failure = session.failure(of: try Self.request(origin, file: pipe))
            async let ping = session.text(URLRequest(origin))
            #expect(try await ping == "pong")
            #expect(try await failure?.reason.invalidity == .unreadableContent(.noRegularFile(path: pipe)))
        }
        var event = inotify_event()
        #expect(unsafe read(watch, &event, MemoryLayout<inotify_event>.size) == -1 && errno == EAGAIN)
    }

    @Test(.enabled(if: getuid() != 0, "root may read everything"))
    func `nor is one that may not be read`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let file = try TestFile(Data("secret".utf8))
        unsafe chmod(file.path, 0)
        let error = await Session.limited().failure(of: try Self.request(origin, file: file.path))
        guard case .unreadableContent(.unreadable(let reason, file.path)) = error?.reason.invalidity else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.code == EACCES)
    }

    @Test(arguments: [false, true])
    func `a file of proc says that it is empty, and is sent with what it has`(isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { _, _ in [.ok()] }
        let session = try Session.trusting(authority)
        _ = try await session.text(Self.request(origin, file: "/proc/version"))
        let empty = try TestFile(Data())
        _ = try await session.text(Self.request(origin, file: empty.path))
        let version = try Data(contentsOf: URL(filePath: "/proc/version"))
        #expect(origin.requests.map(\.body) == [Array(version), []])
        #expect(origin.requests.map { $0.value(of: "Transfer-Encoding") } == ["chunked", nil])
        #expect(origin.requests.map { $0.value(of: "Content-Length") } == [nil, "0"])
    }

    @Test func `a request that cannot be sent leaves no file open on a connection that is kept`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited()
        let file = try TestFile(Data("content".utf8))
        _ = try await session.text(URLRequest(origin))
        var request = try Self.request(origin, file: file.path)
        request.httpMethod = "PU T"
        #expect(await session.failure(of: request)?.reason.invalidity != nil)
        #expect(file.openCount == 0)
        _ = try await session.text(Self.request(origin, file: file.path))
        #expect(file.openCount == 0)
        #expect(origin.connectionCount == 1)
    }

    enum Change: CaseIterable, Sendable { case shrinks, grows, vanishes, isEmptied }

    @Test(arguments: Change.allCases, [false, true])
    func `a file that changes while it is sent`(change: Change, isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let size = 16 << 20
        let origin = try ScriptedOrigin(
            .smallWindow, tls: isSecure ? authority.issue() : nil, onHead: { _, _ in [.receive(1), .hold] }
        ) { _, request in [.ok("\(request.body.count)")] }
        let session = try Session.trusting(authority)
        let file = try TestFile(Data(repeating: 9, count: size))
        let delegate = RecordingDelegate()
        session.dataTask(with: try Self.request(origin, file: file.path), delegate: delegate).resume()
        #expect(await origin.waitFor { $0.headCount == 1 })
        await session.settle()
        switch change {
        case .shrinks: file.resize(to: size - 1)
        case .grows: file.resize(to: size + 1)
        case .vanishes: unsafe unlink(file.path)
        case .isEmptied: file.resize(to: 0)
        }
        try origin.release()
        let record = await delegate.end()
        switch change {
        case .grows, .vanishes:
            #expect(record.error == nil)
            #expect(record.body == Array("\(size)".utf8))
        case .shrinks, .isEmptied:
            guard case .request(.body(.tooShort(let missing))) = record.error?.reason else {
                Issue.record("\(String(describing: record.error))")
                return
            }
            #expect(missing > 0 && (change == .isEmptied || missing == 1 || isSecure))
            #expect(await origin.waitFor { $0.openConnections == 0 })
            #expect(origin.observations.requestCount == 0)
        }
        #expect(file.openCount == 0)
    }

    @Test func `a cancelled upload closes its file`() async throws {
        let origin = try ScriptedOrigin(.smallWindow, onHead: { _, _ in [.receive(1), .awaitClose] }) { _, _ in [] }
        let session = Session.limited()
        let file = try TestFile(Data(repeating: 9, count: 32 << 20))
        for _ in 0..<3 {
            let delegate = RecordingDelegate()
            let task = session.dataTask(with: try Self.request(origin, file: file.path), delegate: delegate)
            let count = origin.observations.headCount
            task.resume()
            #expect(await origin.waitFor { $0.headCount > count })
            task.cancel()
            #expect(await delegate.end().error?.reason.isCancellation == true)
            #expect(file.openCount == 0)
        }
    }
}
