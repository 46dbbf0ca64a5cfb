// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import TernTesting
import Testing
import TestPrograms

/// `-o` writes through what is there.
@Suite struct OutputTargetTests {
    private let folder: TemporaryFolder
    private let origin: ScriptedOrigin

    init() throws {
        folder = try TemporaryFolder()
        origin = try ScriptedOrigin { _, _ in [.ok("body")] }
    }

    /// In a shell, in which `$0` is the tool and `$1` the URL; in the folder.
    private func run(_ command: String) async throws -> Command.Result {
        try await Command.run(
            ["sh", "-c", "cd '\(folder.url.path)'; " + command, try TernTool.executable.path, origin.url("/")],
            environment: TernTool.environment)
    }

    @Test func `devices are written to and stay devices`() async throws {
        let full = try await run(#"ln -s /dev/full full; "$0" get "$1" -o full"#)
        #expect(full.status == 23)
        #expect(full.errors.contains("No space left"))
        let null = try await run(#"ln -s /dev/null null; "$0" get "$1" -o null"#)
        #expect(null.status == 0)
        #expect(try await run("test -c /dev/null && test -c /dev/full && test -L null && test -L full").status == 0)
        // A node of our own, if we may make one.
        let node = try await run(#"mknod node c 1 3 2>/dev/null || exit 0; "$0" get "$1" -o node && test -c node"#)
        #expect(node.status == 0, "\(node.errors)")
    }

    @Test func `a FIFO's reader gets the body`() async throws {
        let result = try await run(
            #"mkfifo pipe; cat pipe > copy & "$0" get "$1" -o pipe; s=$?; wait; cat copy; exit $s"#)
        #expect(result.status == 0)
        #expect(result.output == "body")
        #expect(try await run("test -p pipe").status == 0)
    }

    @Test func `a FIFO without a reader does not outlast --max-time`() async throws {
        let result = try await run(#"mkfifo alone; "$0" get "$1" -o alone --max-time 0.3"#)
        #expect([23, 28].contains(result.status))
        #expect(result.errors.contains("time limit") || result.errors.contains("in time"), "\(result.errors)")
    }

    @Test func `a symbolic link stays, and leads to the body`() async throws {
        let result = try await run(
            #"mkdir sub; echo old > sub/file; ln -s sub/file link; ln -s link again; "$0" get "$1" -o again && "#
                + #"test -L again && test -L link && test ! -L sub/file && cat sub/file"#)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output == "body")
        let dangling = try await run(#"ln -s sub/new hope; "$0" get "$1" -o hope && test -L hope && cat sub/new"#)
        #expect(dangling.output == "body")
    }

    @Test func `what is open already is written to, not opened again`() async throws {
        let ways = ["-o -", "-o /dev/stdout", "-o /dev/fd/1", "-o /proc/self/fd/1"]
        for way in ways {
            let result = try await run(#"{ echo first; "$0" get "$1" \#(way); } > both; cat both"#)
            #expect(result.output == "first\nbody", "\(way)")
        }
        let third = try await run(#""$0" get "$1" -o /dev/fd/3 3> three; cat three"#)
        #expect(third.output == "body")
    }

    @Test(
        "what cannot be written is refused before anything is sent",
        arguments: [
            (#""$0" get "$1" -o socket"#, "a socket"),
            (#""$0" get "$1" -o ."#, "directory"), (#""$0" get "$1" -o nowhere/file"#, "No such file"),
            (#"ln -s round round; "$0" get "$1" -o round"#, "symbolic links"), (#""$0" get "$1" -o """#, "empty"),
            (#""$0" get "$1" -o new/"#, "directory"), (#"echo > file; "$0" get "$1" -o file/x"#, "Not a directory"),
            (#""$0" get "$1" -o /dev/fd/99"#, "Bad file descriptor"),
        ])
    func refused(command: String, reason: String) async throws {
        try makeSocket("socket")
        let result = try await run(command)
        #expect(result.status == 23)
        #expect(result.errors.contains(reason), "\(result.errors)")
        #expect(origin.requests.isEmpty)
    }

    private func makeSocket(_ name: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(folder.url.appending(path: name).path.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
        let bound = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
    }
}
