// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Tern
import TernTesting

/// `tern demo`: pinning and speed, without other programs.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Start a TLS origin with a throw-away CA, connect with a right and a wrong pin, then measure.")

    @Option(name: [.customShort("d"), .customLong("duration")], help: "The duration of the measurement in seconds.")
    var seconds = 2.0

    func validate() throws {
        guard seconds > 0, seconds <= 60 else { throw ValidationError("-d: give seconds above 0 and up to 60") }
    }

    func run() async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue()
        let origin = try ScriptedOrigin(tls: identity) { _, _ in [.ok("Hello from behind a pinned key.\n")] }
        guard let url = URL(string: origin.url("/")) else { throw ExitCode(1) }
        let demo = Demo(
            request: Tern.URLRequest(url: url), anchors: try X509Certificate.all(inPEM: authority.certificatePEM))

        try StandardStreams.print("A TLS origin with a throw-away certificate authority listens at \(url).\n")
        try await demo.showAccepted(pin: identity.pin)
        try await demo.showRefused(pin: try CertificateAuthority().pin, origin: origin)
        try await demo.showThroughput(pin: identity.pin, duration: .seconds(seconds))
    }
}
