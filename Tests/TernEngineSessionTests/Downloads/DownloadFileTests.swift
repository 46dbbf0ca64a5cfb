// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct DownloadFileTests {
    private let session = Session.limited(to: 4)
    private let content = Pattern.bytes

    @Test func `what stands there is replaced, with its permissions, or stays`() async throws {
        let folder = try TestFolder()
        try folder.write("old", to: "file")
        unsafe chmod(folder.path + "/file", 0o640)
        let origin = try FileOrigin(content)
        var settings = DownloadSettings()
        settings.existingFile = .refuse
        let error = try await session.failure(origin, to: folder.url("file"), settings)
        if case .download(.exists) = error?.reason {} else { Issue.record("\(String(describing: error))") }
        #expect(folder.content("file") == Array("old".utf8))
        #expect(try await session.failure(origin, to: folder.url("file")) == nil)
        #expect(folder.content("file") == content)
        #expect(folder.permissions("file") == 0o640)
        #expect(try await session.failure(origin, to: folder.url("new"), settings) == nil)
        #expect(folder.names == ["file", "new"])
    }

    @Test func `a link is followed, and stays`() async throws {
        let folder = try TestFolder()
        try folder.write("old", to: "file")
        unsafe symlink("file", folder.path + "/link")
        unsafe symlink("nowhere", folder.path + "/dangling")
        let origin = try FileOrigin(content)
        #expect(try await session.failure(origin, to: folder.url("link")) == nil)
        #expect(folder.content("file") == content)
        let error = try await session.failure(origin, to: folder.url("dangling"))
        if case .download(.notRegularFile) = error?.reason {} else { Issue.record("\(String(describing: error))") }
        #expect(folder.names == ["dangling", "file", "link"])
    }

    @Test(arguments: ["folder", "fifo", "folder/", ""]) func `what is no file is no target`(name: String) async throws {
        let folder = try TestFolder()
        unsafe mkdir(folder.path + "/folder", 0o700)
        unsafe mkfifo(folder.path + "/fifo", 0o600)
        let origin = try FileOrigin(content)
        let error = try await session.failure(origin, to: folder.url(name))
        if case .download(.notRegularFile) = error?.reason {} else { Issue.record("\(String(describing: error))") }
        #expect(folder.names == ["fifo", "folder"])
    }

    @Test func `folders are made if they may be`() async throws {
        let folder = try TestFolder()
        let origin = try FileOrigin(content)
        let error = try await session.failure(origin, to: folder.url("a/b/file"))
        guard case .download(.file(let reason, let path)) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.code == ENOENT)
        #expect(path == folder.path + "/a/b/file")
        var settings = DownloadSettings()
        settings.createsFolders = true
        #expect(try await session.failure(origin, to: folder.url("a/b/file"), settings) == nil)
        #expect(folder.content("a/b/file") == content)
    }
}

@Suite(.timeLimit(.minutes(5))) struct FileSinkTests {
    private let session = Session.limited(to: 4)
    private let content = Array(Pattern.bytes.prefix(2_000_000))

    private func run(_ task: SessionDownloadTask, _ recorder: DownloadRecorder) async -> DownloadRecorder.Record {
        task.resume()
        return await recorder.end()
    }

    @Test func `the received part is written and reported while the server sends no more`() async throws {
        let (folder, recorder) = (try TestFolder(), DownloadRecorder())
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n".utf8)
        let part = Array(content.prefix(300_000))
        let origin = try FileOrigin(content) { $0.instead = { _ in [.send(head + part), .hold] } }
        let task = session.downloadTask(with: try origin.request(), in: folder.url(""), delegate: recorder)
        task.resume()
        #expect(await eventually { recorder.record.progress.last?.total == 300_000 })
        #expect(folder.names.map { folder.content($0)?.count } == [300_000])
        task.cancel()
        _ = await recorder.end()
        #expect(recorder.record.progress.map(\.written).reduce(0, +) == 300_000)
    }
}

extension Processes {
    /// What becomes of a download when the disk takes no more.
    @Suite struct FullDiskTests {
        @Test func `a file that may not be so large is an error, and no signal; nothing is left`() async {
            await #expect(processExitsWith: .success) {
                let folder = try TestFolder()
                try folder.write("old", to: "file")
                var limit = rlimit(rlim_cur: 1_000_000, rlim_max: 1_000_000)
                unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                let origin = try FileOrigin(Array(repeating: 7, count: 20_000_000))
                let request = try origin.request()
                for settings in [DownloadSettings(), .resumable] {
                    do throws(SessionError) {
                        _ = try await Session.limited().download(
                            for: request, to: folder.url("file"), settings: settings)
                        Issue.record("it fits")
                    } catch {
                        guard case .download(.file(let reason, let path)) = error.reason else {
                            Issue.record("\(error)")
                            return
                        }
                        #expect(reason.code == EFBIG)
                        #expect(path == folder.path + "/file")
                        #expect((error.resumeData == nil) == !settings.isResumable)
                    }
                    #expect(folder.content("file") == Array("old".utf8))
                    let left = settings.isResumable ? [".file.tern-part", ".file.tern-part.json"] : []
                    #expect(folder.names == left + ["file"])
                }
                // The server was not made to send it all.
                #expect(origin.origin.requests.count == 2)
            }
        }

        @Test(.disabled(if: Sanitizer.isWatching, "the process then keeps freed memory"))
        func `a large file costs little memory`() async {
            await #expect(processExitsWith: .success) {
                let origin = try ScriptedOrigin { _, _ in
                    [
                        .send("HTTP/1.1 200 OK\r\nContent-Length: \(256 << 20)\r\n\r\n"),
                        .repeat(Array(repeating: 1, count: 65536), count: 4096),
                    ]
                }
                let folder = try TestFolder()
                let session = Session.limited()
                _ = try await session.download(for: URLRequest(origin), to: folder.url("warm"))
                let before = peak()
                _ = try await session.download(for: URLRequest(origin), to: folder.url("file"))
                #expect(peak() - before < 4 << 20)
            }
        }
    }
}

/// The most that this process has held in memory.
private func peak() -> Int {
    var usage = rusage()
    unsafe getrusage(RUSAGE_SELF.rawValue, &usage)
    return usage.ru_maxrss * 1024
}
