// SPDX-License-Identifier: Apache-2.0

import Foundation
import TernTesting

/// A server that speaks TLS and passes on what it receives under it to another port, as a secure proxy does once a
/// tunnel is open: `socat`.
final class TLSRelay: Sendable {
    let port: UInt16
    private let folder: TemporaryFolder
    private let process: ServerProcess

    /// Starts the relay, and returns when it accepts connections.
    init(to destination: UInt16, identity: Identity) async throws {
        folder = try TemporaryFolder()
        let chain = try folder.write(identity.chainPEM, to: "relay.pem")
        let key = try folder.write(identity.privateKeyPEM, to: "relay.key")
        port = try LoopbackPort.free().number
        let listener = "OPENSSL-LISTEN:\(port),bind=127.0.0.1,reuseaddr,fork,verify=0,cert=\(chain),key=\(key)"
        process = try ServerProcess(
            "socat", ["-d", "-d", listener, "TCP4:127.0.0.1:\(destination)"], package: "socat", in: folder.url)
        try await process.waitUntilListening(on: port)
    }

    /// What the relay prints: a line about each connection.
    var output: LineLog { process.output }
}
