// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import Synchronization
import TernTLS
import TernTesting
import TestProofs
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

extension Processes {
    /// What watched files leave behind, counted where nothing else runs.
    @Suite struct TrustFileChurnTests {
        @Test func `renewals under load lose no request and leave nothing behind`() async {
            await #expect(processExitsWith: .success) { try await TrustFileChurn.renewals(Rounds.of(50)) }
        }
    }
}

/// The body of a process.
enum TrustFileChurn {
    static func renewals(_ count: Int) async throws {
        let authority = try CertificateAuthority()
        let folder = try SecretFolder()
        var options = ScriptedOrigin.TLSOptions()
        options.clientCertificates = .required(authorityPEM: authority.certificatePEM)
        let origin = try ScriptedOrigin(tls: authority.issue(), tlsOptions: options) { _, _ in [.ok()] }
        let clients = [try authority.issueClient("even"), try authority.issueClient("odd")]
        let secrets = clients.map { ["tls.crt": $0.chainPEM, "tls.key": $0.privateKeyPEM] }
        try folder.mount(secrets[1], version: 1)
        var paths = TrustFilePaths()
        paths.identities = [.init(certificates: folder.url("tls.crt"), privateKey: folder.url("tls.key"))]
        let watch = try Watch(paths)
        _ = await origin.waitFor(.milliseconds(1)) { _ in false }
        let baseline = Census.now
        var session: Session? = try Session.trusting(authority, connections: 8) { $0.trustFiles = watch.files }
        let isOver = Flag()
        let failures = await withTaskGroup(of: [String].self) { [session] group in
            for _ in 0..<8 {
                group.addTask {
                    var failures: [String] = []
                    while !isOver.isRaised, let session {
                        do throws(SessionError) {
                            _ = try await session.data(for: URLRequest(url: URL(string: origin.url())!))
                        } catch {
                            failures.append("\(error)")
                        }
                    }
                    return failures
                }
            }
            group.addTask {
                for version in 2..<count + 2 {
                    let before = origin.observations.handshakes.count
                    do {
                        try folder.mount(secrets[version % 2], version: version)
                    } catch {
                        return ["\(error)"]
                    }
                    let event = await watch.next()
                    if event != "replaced: identity 1" { return [event] }
                    // Each renewal is used before the next.
                    if !(await origin.waitFor { $0.handshakes.count > before }) { return ["no handshake follows"] }
                }
                isOver.raise()
                return []
            }
            var failures: [String] = []
            for await failed in group {
                failures += failed
                if !failed.isEmpty { isOver.raise() }
            }
            return failures
        }
        #expect(failures.isEmpty, "\(failures.prefix(3))")
        let shown = Set(origin.observations.handshakes.map(\.clientCertificate))
        #expect(shown == Set(clients.map(\.der)))
        #expect(origin.observations.handshakes.count >= count)
        session = nil
        // The files are there still, and nobody watches them.
        #expect(await eventually { Census.now.left(since: baseline).isEmpty }, "\(Census.now.left(since: baseline))")
        withExtendedLifetime(watch) {}
    }

    private final class Flag: Sendable {
        private let state = Atomic(false)
        var isRaised: Bool { state.load(ordering: .acquiring) }
        func raise() { state.store(true, ordering: .releasing) }
    }
}
