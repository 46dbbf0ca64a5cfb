// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Tern
import TernEngine

/// A server that is asked only for its certificates.
struct LiveServer {
    let url: URL
    let anchors: TrustAnchors

    /// - Throws: exit code 1, after reporting why, if the server presents no certificate.
    func presented() async throws -> ServerTrust {
        var configuration = SessionConfiguration.default
        configuration.tls.anchors = anchors
        do {
            return try await ServerTrust.presented(by: url, configuration: configuration)
        } catch {
            StandardStreams.tell("tern: \(error)")
            throw ExitCode(1)
        }
    }

    /// The host that a URL's certificates must be for: without the brackets that a URL puts around IPv6, and without a
    /// zone.
    static func host(of url: URL) -> String? {
        url.host.map { String($0.trimmingCharacters(in: CharacterSet(charactersIn: "[]")).prefix { $0 != "%" }) }
    }
}
