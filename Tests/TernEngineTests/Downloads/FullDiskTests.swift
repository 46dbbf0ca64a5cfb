// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernTesting
import Testing

@testable import TernEngine

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
