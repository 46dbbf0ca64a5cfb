// SPDX-License-Identifier: Apache-2.0
// Safety: C functions are given terminated strings.
import Glibc
import Testing

@testable import TernIO

@Suite(.timeLimit(.minutes(1))) struct FolderMonitorTests {
    private let path: String

    init() throws {
        path = "/tmp/tern-folder-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        #expect(unsafe mkdir(path, 0o700) == 0)
    }

    private func write(_ name: String) throws {
        let file = unsafe open("\(path)/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        #expect(file >= 0)
        #expect(unsafe Glibc.write(file, "content", 7) == 7)
        close(file)
    }

    /// Reports of a monitor, and the monitor, which watches while it exists.
    private func monitor(
        _ entries: [String], settleTime: Duration = .milliseconds(1), checkInterval: Duration = .seconds(3600)
    ) throws -> (monitor: FolderMonitor, reports: AsyncStream<Void>) {
        let (reports, continuation) = AsyncStream<Void>.makeStream()
        let folder = FolderMonitor.Folder(path: path, entries: Set(entries.map { Array($0.utf8) }))
        let monitor = try FolderMonitor([folder], settleTime: settleTime, checkInterval: checkInterval) {
            continuation.yield()
        }
        return (monitor, reports)
    }

    @Test func `a file that is written, renamed or removed is reported`() async throws {
        for change in 0..<4 {
            let (monitor, reports) = try monitor(["file"])
            #expect(monitor.failure == nil)
            switch change {
            case 0: try write("file")
            case 1:
                try write("other")
                #expect(unsafe rename("\(path)/other", "\(path)/file") == 0)
            case 2: #expect(unsafe chmod("\(path)/file", 0o600) == 0)
            default: #expect(unsafe unlink("\(path)/file") == 0)
            }
            for await _ in reports { break }
            withExtendedLifetime(monitor) {}
        }
        unsafe rmdir(path)
    }

    @Test func `other entries do not count, and a folder that is renamed does`() async throws {
        let (monitor, reports) = try monitor(["file"])
        let (second, written) = try self.monitor(["other-49"])
        let (third, moves) = try self.monitor([])
        let isReported = Flag()
        let counting = Task { for await _ in reports { isReported.raise() } }
        for index in 0..<50 { try write("other-\(index)") }
        for await _ in written { break }
        #expect(!isReported.isRaised)
        #expect(unsafe rename(path, path + "-moved") == 0)
        for await _ in moves { break }
        counting.cancel()
        withExtendedLifetime((monitor, second, third)) {}
        for index in 0..<50 { unsafe unlink("\(path)-moved/other-\(index)") }
        unsafe rmdir(path + "-moved")
    }

    @Test func `without a change the report comes when its time is up`() async throws {
        let (monitor, reports) = try monitor(["file"], checkInterval: .milliseconds(20))
        for await _ in reports { break }
        withExtendedLifetime(monitor) {}
        unsafe rmdir(path)
    }

    @Test func `a folder that is missing is no failure`() throws {
        unsafe rmdir(path)
        #expect(try monitor(["file"]).monitor.failure == nil)
    }
}
