// SPDX-License-Identifier: Apache-2.0
// Safety: `sigaction` reads and writes structures that live for the call.
import FoundationEssentials
import Glibc
import TernTesting
import Testing

@testable import TernEngine

/// Sends on connections that the server ends in every way, with SIGPIPE at its default action, which ends the process.
func breakUploads(isSecure: Bool) async throws {
    signal(SIGPIPE, SIG_DFL)
    let authority = try CertificateAuthority()
    let endings: [[ScriptedOrigin.Step]] = [[.reset], [.close], [.closeAbruptly], [.receive(100_000), .reset]]
    for steps in endings {
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil, onHead: { _, _ in steps }) { _, _ in []
        }
        let session = try Session.trusting(authority)
        for _ in 0..<5 {
            let body = Data(repeating: 1, count: 8 << 20)
            #expect(await session.failure(of: try URLRequest(origin, method: "PUT", body: body)) != nil)
        }
    }
    // During the handshake's own writes, and before close_notify.
    let early = try ScriptedOrigin(
        tls: authority.issue(), onAccept: { $0 % 2 == 0 ? [.reset] : [.receive(1), .reset] }
    ) { _, _ in [] }
    for _ in 0..<10 {
        #expect(await (try Session.trusting(authority)).failure(of: try URLRequest(early)) != nil)
    }
    var action = sigaction()
    unsafe sigaction(SIGPIPE, nil, &action)
    #expect(unsafe action.__sigaction_handler.sa_handler == nil)
}
