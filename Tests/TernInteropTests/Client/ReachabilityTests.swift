// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestPrograms
import TestProofs
import Testing

/// Links and routes that come and go, in a network of the test's own.
@Suite(.timeLimit(.minutes(2))) struct ReachabilityTests {
    @Test(
        .proves("1.20e", "10.3d"),
        .enabled("no network of one's own can be made here") { await NetworkNamespace.isAvailable() })
    func `each change is reported once: a link, a route, a modem, and their end`() async throws {
        let program = try TernTool.builtPrograms.appending(path: "ReachabilityWatch")
        let network = try await NetworkNamespace(running: program, "10.9.8.7", "127.0.0.1", "fd00::7", "localhost")
        var seen: [String] = []
        func expect(_ lines: String..., sourceLocation: SourceLocation = #_sourceLocation) async {
            seen += lines
            let expected = seen.sorted()
            let came = await network.output.waitFor(.seconds(60)) {
                Set(expected).isSubset(of: Set($0)) && $0.count >= expected.count
            }
            #expect(came, "\(network.output.lines)", sourceLocation: sourceLocation)
            #expect(network.output.lines.sorted() == expected, sourceLocation: sourceLocation)
        }
        await expect(
            "world not reachable", "10.9.8.7 not reachable", "127.0.0.1 by a link", "fd00::7 not reachable",
            "localhost by a link", "AF notReachable")
        try network.run(
            "ip link set lo up; ip link add v0 type veth peer name v1; ip link set v1 up; ip link set v0 up")
        try network.run("ip address add 10.9.8.1/24 dev v0")
        await expect("10.9.8.7 by a link")
        try network.run("ip route add default via 10.9.8.2")
        await expect("world by a link", "AF reachableViaWiFi")
        try network.run("ip -6 address add fd00::1/64 dev v0 nodad")
        await expect("fd00::7 by a link")
        try network.run("ip route add blackhole 10.9.8.7")
        await expect("10.9.8.7 not reachable")
        try network.run("ip route del blackhole 10.9.8.7")
        await expect("10.9.8.7 by a link")
        try network.run("ip link set v0 down")
        await expect("world not reachable", "10.9.8.7 not reachable", "fd00::7 not reachable", "AF notReachable")
        try network.run("ip link set v0 name wwan0; ip link set wwan0 up; ip route add default via 10.9.8.2")
        await expect("10.9.8.7 by a modem", "world by a modem", "AF reachableViaWWAN")
    }

    @Test(.enabled("no network of one's own can be made here") { await NetworkNamespace.isAvailable() })
    func `a task waits for a network, tries again, and has its time for that`() async throws {
        let program = try TernTool.builtPrograms.appending(path: "ReachabilityWatch")
        let (late, name, never) = ("http://10.9.8.7/", "http://name.test/", "http://10.9.8.8/")
        let network = try await NetworkNamespace(running: program, "fetch", late, name, "http://127.0.0.1:1/", never)
        var expected = [
            "\(late) waits", "\(name) waits", "http://127.0.0.1:1/ unreachable", "\(never) waits",
            "\(never) timed-out",
        ]
        func expect(_ lines: String..., sourceLocation: SourceLocation = #_sourceLocation) async {
            expected += lines
            let all = Set(expected)
            let came = await network.output.waitFor(.seconds(30)) { all.isSubset(of: $0) }
            #expect(came, "\(network.output.lines)", sourceLocation: sourceLocation)
            #expect(network.output.lines.count == expected.count, "\(network.output.lines)")
        }
        await expect()
        try network.serve()
        await expect("listening")
        try network.bringUp("10.9.8.7")
        await expect("\(late) 200")
    }

    @Test(.enabled("no network of one's own can be made here") { await NetworkNamespace.isAvailable() })
    func `tasks that wait for a network share one descriptor, and all of them try again`() async throws {
        let program = try TernTool.builtPrograms.appending(path: "ReachabilityWatch")
        let urls = (0..<100).map { "http://10.9.8.7/?\($0)" }
        let network = try await NetworkNamespace(running: program, ["fetch"] + urls + ["http://10.9.8.8/"])
        func expect(_ lines: [String], sourceLocation: SourceLocation = #_sourceLocation) async {
            let came = await network.output.waitFor(.seconds(30)) { Set(lines).isSubset(of: $0) }
            #expect(came, "\(network.output.lines)", sourceLocation: sourceLocation)
        }
        await expect(urls.map { "\($0) waits" })
        // The sockets that receive changes of the network.
        try network.run("echo monitors: $(awk '$4 != \"00000000\"' /proc/net/netlink | tail -n +2 | wc -l)")
        await expect(["monitors: 1"])
        try network.serve()
        await expect(["listening"])
        try network.bringUp("10.9.8.7")
        await expect(urls.map { "\($0) 200" })
    }
}

/// A network of a test's own, without links at first but for a loopback that is down, and a program in it.
final class NetworkNamespace: Sendable {
    /// Whether this machine lets us have one.
    static func isAvailable() async -> Bool { (try? await Command.run(["unshare", "-rn", "true"]).status) == 0 }

    private static let script = """
        exec 3<>commands
        "$@" & program=$!
        trap 'kill $program' EXIT
        trap 'exit' TERM
        while read -r line <&3; do eval "$line"; done
        """

    private let folder: TemporaryFolder
    private let process: ServerProcess
    private let commands: FileHandle

    /// Starts the program.
    convenience init(running program: URL, _ arguments: String...) async throws {
        try await self.init(running: program, arguments)
    }

    /// Starts the program.
    init(running program: URL, _ arguments: [String]) async throws {
        folder = try TemporaryFolder()
        let path = folder.url.path + "/commands"
        guard unsafe mkfifo(path, 0o600) == 0, let commands = FileHandle(forUpdatingAtPath: path) else {
            throw ServerError.silent(program: "mkfifo", output: [])
        }
        self.commands = commands
        process = try ServerProcess(
            "unshare", ["-rn", "sh", "-c", Self.script, "sh", program.path] + arguments, package: "util-linux",
            in: folder.url)
    }

    /// What the program says, and what commands complain of.
    var output: LineLog { process.output }

    /// Has a line run by a shell in the network, such as `ip link set lo up`.
    func run(_ line: String) throws { try commands.write(contentsOf: Data((line + "\n").utf8)) }

    /// Starts an HTTP server that says `listening`, and answers each request.
    func serve() throws {
        let server = """
            import http.server as h
            class Q(h.SimpleHTTPRequestHandler):
                def log_message(self, *rest): pass
            class S(h.ThreadingHTTPServer):
                request_queue_size = 1000
            s = S(("0.0.0.0", 80), Q)
            print("listening", flush=True)
            s.serve_forever()
            """
        // The server ends with the program: it holds the pipe of its output open.
        let script = "exec(\(server.split(separator: "\n").map { "'\($0)\\n'" }.joined(separator: "+")))"
        try run("ip link set lo up")
        try run("python3 -c \"\(script.replacing("\"", with: "\\\""))\" & program=\"$program $!\"")
    }

    /// Makes a link with this address.
    func bringUp(_ address: String) throws {
        try run("ip link add v0 type veth peer name v1; ip link set v1 up; ip link set v0 up")
        try run("ip address add \(address)/32 dev v0")
    }
}
