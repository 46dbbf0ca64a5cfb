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

/// Makes a program trust the test's authority that has no setting for it: on Linux, URLSession uses the authorities
/// that libcurl was built with. In a mount namespace of its own the program sees the test's authority instead.
enum AuthorityNamespace {
    /// The command that runs `command` there.
    static func command(_ command: [String], authority: String) throws -> [String] {
        guard let unshare = ChildProcess.path(of: "unshare"), let file = CurlMultiClient.defaultAuthorities else {
            throw PeerUnavailable(reason: "it cannot be made to trust the test's authority")
        }
        let script = #"mount --bind "$1" "$2" && shift 2 && exec "$@""#
        return [unshare, "-rm", "/bin/sh", "-c", script, "sh", authority, file] + command
    }

    /// Why there can be no such place here; nil if there can.
    static var obstacle: String? {
        do {
            // Any file will do for a trial.
            let command = try command(["/bin/true"], authority: "/dev/null")
            let ended = try ChildProcess(command[0], Array(command.dropFirst()), mergesError: true).waitForEnd()
            return ended.succeeded ? nil : "no user namespaces, without which it cannot trust the test's authority"
        } catch {
            return "\(error)"
        }
    }
}
