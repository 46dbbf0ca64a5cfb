// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc

/// This very program as the process of one client.
enum ClientProcess {
    static func measure(_ client: Peer, _ load: Load) throws -> Measurement {
        let text = String(decoding: try JSONEncoder().encode(load), as: UTF8.self)
        var command = [
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"), "client", client.rawValue,
            text,
        ]
        if client == .urlSession, load.url.hasPrefix("https") {
            command = try AuthorityNamespace.command(command, authority: load.authority)
        }
        let child = try ChildProcess(command[0], Array(command.dropFirst()))
        let ended = try child.waitForEnd()
        if ended.signal == SIGALRM { throw PeerUnavailable(reason: "it hung") }
        guard ended.succeeded else { throw PeerUnavailable(reason: "its process failed; see its messages above") }
        return try JSONDecoder().decode(Measurement.self, from: Data(ended.output.utf8))
    }
}
