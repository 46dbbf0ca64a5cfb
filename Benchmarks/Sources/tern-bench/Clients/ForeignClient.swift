// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc

/// A client in a program of its own: one that `Benchmarks/Peers/build` has made, and that measures itself.
struct ForeignClient {
    private let program: String
    private let mode: String

    /// Nil for a client that is none.
    init?(_ peer: Peer) {
        switch peer {
        case .floor: program = "floor"
        case .hyperConnection, .hyperClient, .reqwest: program = "rust-peers"
        case .go: program = "go-peer"
        case .ternRuntime, .ternPlain, .ternPlainChain, .ternRuntimeChain: program = "plain"
        case .wrk, .ternReactor, .ternGlobal, .ternDelegate, .ternChain, .curlMulti, .curlCommand,
            .asyncHTTPClientFutures, .asyncHTTPClientAsync, .urlSession, .webSocketLoop, .nioWebSocket, .ternReceiver,
            .library:
            return nil
        }
        mode = peer.rawValue
    }

    /// Why it cannot be measured over that scheme; nil if it can.
    func obstacle(over scheme: Scenario.Scheme) -> String? {
        if scheme == .https, [Peer.floor, .hyperClient].map(\.rawValue).contains(mode) { return "it knows http alone" }
        return path == nil ? "\(program) is not built (Benchmarks/Peers/build)" : nil
    }

    func measure(_ load: Load) throws -> Measurement {
        guard let path else { throw PeerUnavailable(reason: "\(program) is not built") }
        let numbers = [
            "\(load.connections)", "\(load.bodySize)", "\(load.warmUpSeconds)", "\(load.seconds)",
        ]
        let child = try ChildProcess(path, [mode, load.url, load.authority] + numbers)
        let ended = try child.waitForEnd()
        guard ended.succeeded else { throw PeerUnavailable(reason: "\(program) failed; see its messages above") }
        return try JSONDecoder().decode(Measurement.self, from: Data(ended.output.utf8))
    }

    /// Beside the build of this program.
    private var path: String? {
        guard let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else { return nil }
        var folder = URL(fileURLWithPath: own).deletingLastPathComponent()
        while folder.lastPathComponent != ".build" {
            guard folder.path != "/" else { return nil }
            folder.deleteLastPathComponent()
        }
        let path = folder.appending(path: "peers/\(program)").path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }
}
