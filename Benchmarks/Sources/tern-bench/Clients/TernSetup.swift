// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import TernEngine

/// How Tern is set up for each of its interfaces: one reactor, enough connections.
enum TernSetup {
    static func configuration(_ load: Load) throws -> SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.httpMaximumConnectionsPerHost = load.connections
        configuration.reactorCount = 1
        configuration.tls.anchors = .only(
            try Certificate.all(inPEM: String(contentsOfFile: load.authority, encoding: .utf8)))
        return configuration
    }

    static func request(_ load: Load) throws -> TernEngine.URLRequest {
        guard let url = URL(string: load.url) else { throw PeerUnavailable(reason: "no URL: \(load.url)") }
        return TernEngine.URLRequest(url: url)
    }
}
