// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import TernEngine

/// What a TLS connection holds while nothing is asked of it, in a process of its own.
enum IdleConnections {
    /// This number is asked for at once. As many are counted as have been opened: one may be free before another is
    /// there.
    static let askedFor = 512

    /// Bytes per connection: the median.
    static func measure(rounds: Int) throws -> Double? {
        let server = try BenchmarkServer()
        return try (0..<max(1, rounds)).map { _ in try measure(on: server) }.median
    }

    private static func measure(on server: BenchmarkServer) throws -> Double {
        let url = server.url(at: Scenario.Body.small.path, over: .https)
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let ended = try ChildProcess(program, ["idle", url, server.authorityPath]).waitForEnd()
        guard ended.succeeded, let bytes = Double(ended.output.split(separator: "\n").last ?? "") else {
            throw PeerUnavailable(reason: "its process failed; see its messages above")
        }
        return bytes
    }
}

/// The hidden subcommand that holds them.
struct RunIdle: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "idle", abstract: "Opens connections and prints what each adds to the resident set.",
        shouldDisplay: false)

    @Argument(help: "What is fetched.") var url: String
    @Argument(help: "The PEM file of the server's authority.") var authority: String

    func run() async throws {
        let load = Load(
            url: url, authority: authority, connections: IdleConnections.askedFor,
            bodySize: Scenario.Body.small.size, warmUpSeconds: 0, seconds: 0)
        let session = Session(configuration: try TernSetup.configuration(load))
        let request = try TernSetup.request(load)
        // What all connections have in common is there with the first.
        _ = try await session.data(for: request)
        let before = try (memory: Self.residentBytes(), sockets: Self.socketCount())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<IdleConnections.askedFor {
                group.addTask { _ = try await session.data(for: request) }
            }
            try await group.waitForAll()
        }
        let opened = try Self.socketCount() - before.sockets
        guard opened >= IdleConnections.askedFor / 4 else {
            throw PeerUnavailable(reason: "only \(opened) connections were opened")
        }
        print(Double(try Self.residentBytes() - before.memory) / Double(opened))
        withExtendedLifetime(session) {}
        Self.exit()
    }

    private static func residentBytes() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        guard pages.count > 1, let count = Int(pages[1]) else { throw PeerUnavailable(reason: "no /proc/self/statm") }
        return count * 4096
    }

    private static func socketCount() throws -> Int {
        let folder = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
            return target?.hasPrefix("socket:") == true
        }
    }
}
