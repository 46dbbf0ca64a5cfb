// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernEngine
import TernTesting

/// `tern demo`: pinning and speed, without other programs.
struct DemoCommand: ToolCommand {
    static var table: OptionTable<Self> {
        OptionTable(
            .value("-d", "--duration", as: "seconds", help: "The duration of the measurement, 2 by default.") {
                $0.seconds = try $1.number()
            })
    }

    static let name = "demo"
    static let abstract = "Start a TLS origin with a throw-away CA, connect with a right and a wrong pin, then measure."

    var seconds = 2.0

    func validate() throws {
        guard seconds > 0, seconds <= 60 else { throw UsageError("-d: give seconds above 0 and up to 60") }
    }

    func run() async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue()
        let origin = try ScriptedOrigin(tls: identity) { _, _ in [.ok("Hello from behind a pinned key.\n")] }
        guard let url = URL(string: origin.url("/")) else { throw ExitCode(1) }
        let demo = Demo(
            request: URLRequest(url: url), anchors: try X509Certificate.all(inPEM: authority.certificatePEM))

        try StandardStreams.print("A TLS origin with a throw-away certificate authority listens at \(url).\n")
        try await demo.showAccepted(pin: identity.pin)
        try await demo.showRefused(pin: try CertificateAuthority().pin, origin: origin)
        try await demo.showThroughput(pin: identity.pin, duration: .seconds(seconds))
    }
}

/// The steps of `tern demo`.
struct Demo {
    let request: URLRequest
    let anchors: [X509Certificate]

    func showAccepted(pin: String) async throws {
        try StandardStreams.print("1. Fetch it with the right pin, \(pin):")
        let (data, response) = try await session(pin: pin).data(for: request)
        let body = String(decoding: data, as: UTF8.self)
        try StandardStreams.print("   \(response.head.version) \(response.statusCode): \(body)")
    }

    func showRefused(pin: String, origin: ScriptedOrigin) async throws {
        try StandardStreams.print("2. Fetch it with a wrong pin, \(pin):")
        let before = origin.requests.count
        let session = try session(pin: pin)
        do throws(SessionError) {
            _ = try await session.data(for: request)
        } catch {
            guard case .connecting(.insecure(let tls)) = error.reason, let failure = tls.trustFailure else {
                throw error
            }
            try StandardStreams.print("   Refused: \(failure)")
            try StandardStreams.print("   Keys in the verified chain, leaf to root:")
            for seen in failure.seen { try StandardStreams.print("     \(seen.publicKey.pin)  \(seen.subject)") }
            let seen = origin.requests.count - before
            try StandardStreams.print("   Requests the origin has seen from this attempt: \(seen)\n")
            return
        }
        try StandardStreams.print("   Accepted, which is an error.")
        throw ExitCode(1)
    }

    func showThroughput(pin: String, duration: Duration) async throws {
        try StandardStreams.print("3. GET in a closed loop, 16 connections, TLS, origin in the same process:")
        let generator = LoadGenerator(
            request: request, connections: 16, duration: duration, session: try session(pin: pin))
        let progress = Task { await Self.showProgress(for: duration) }
        let result = await generator.run()
        progress.cancel()
        await progress.value
        if let error = result.firstError { throw error }
        let rate = Double(result.requests) / result.seconds
        let seconds = DecimalText.fixed(result.seconds, digits: 1)
        try StandardStreams.print(
            "   \(result.requests) requests in \(seconds) s: \(DecimalText.fixed(rate, digits: 0)) requests/s")
    }

    private func session(pin: String) throws -> Session {
        var configuration = SessionConfiguration.default
        configuration.tls.anchors = .only(anchors)
        let policy = ServerTrustPolicy.pinPublicKeys(
            publicKeys: [try X509Certificate.PublicKey(pin: pin)], validateCertificateChain: true, validateHost: true)
        return Session(
            configuration: configuration,
            serverTrustPolicyManager: ServerTrustPolicyManager(policies: [request.host ?? "": policy]))
    }

    /// One progress line, on a terminal only; failures are ignored.
    private static func showProgress(for duration: Duration) async {
        guard isatty(STDOUT_FILENO) == 1 else { return }
        let steps = 40
        for step in 1...steps {
            guard (try? await Task.sleep(for: duration / steps)) != nil else { break }
            let bar = String(repeating: "#", count: step) + String(repeating: ".", count: steps - step)
            try? StandardStreams.write(Data("\r   [\(bar)]".utf8))
        }
        try? StandardStreams.write(Data("\r\u{1B}[K".utf8))
    }
}
