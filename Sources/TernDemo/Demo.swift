// SPDX-License-Identifier: Apache-2.0
// Safety: a text is passed with its length, and lives for the call.
import FoundationEssentials
import TernLibC
import TernEngine
import TernTesting

/// Pinning and speed, without other programs: a TLS origin with a throw-away certificate authority, a request with the
/// right pin and one with a wrong pin, and a measurement.
///
/// It is `tern demo`, and a program of its own, which is built sooner than the whole command.
package struct Demo: Sendable {
    private static let connections = 16

    private let duration: Duration
    private let print: @Sendable (String) throws -> Void
    private let authority: CertificateAuthority
    private let identity: Identity
    private let origin: ScriptedOrigin
    private let request: URLRequest

    /// Starts the origin.
    ///
    /// - Parameters:
    ///   - duration: that of the measurement.
    ///   - print: prints a line, or several.
    package init(duration: Duration, print: @escaping @Sendable (String) throws -> Void) throws {
        (self.duration, self.print) = (duration, print)
        authority = try CertificateAuthority()
        identity = try authority.issue()
        origin = try ScriptedOrigin(tls: identity) { _, _ in [.ok("Hello from behind a pinned key.\n")] }
        request = try URLRequest(string: origin.url())
    }

    /// - Returns: whether the wrong pin was refused.
    package func run() async throws -> Bool {
        try print("A TLS origin with a throw-away certificate authority listens at \(origin.url("/")).\n")
        try await showAccepted(pin: identity.pin)
        guard try await showsRefused(pin: try CertificateAuthority().pin) else { return false }
        try await showThroughput(pin: identity.pin)
        return true
    }

    private func showAccepted(pin: String) async throws {
        try print("1. Fetch it with the right pin, \(pin):")
        let (data, response) = try await session(pin: pin).data(for: request)
        let body = String(decoding: data, as: UTF8.self)
        try print("   \(response.head.version) \(response.statusCode): \(body)")
    }

    private func showsRefused(pin: String) async throws -> Bool {
        try print("2. Fetch it with a wrong pin, \(pin):")
        let before = origin.requests.count
        let session = try session(pin: pin)
        do throws(SessionError) {
            _ = try await session.data(for: request)
        } catch {
            guard case .connecting(.insecure(let tls)) = error.reason, let failure = tls.trustFailure else {
                throw error
            }
            try print("   Refused: \(failure)")
            try print("   Keys in the verified chain, leaf to root:")
            for seen in failure.seen { try print("     \(seen.publicKey.pin)  \(seen.subject)") }
            let seen = origin.requests.count - before
            try print("   Requests the origin has seen from this attempt: \(seen)\n")
            return true
        }
        try print("   Accepted, which is an error.")
        return false
    }

    private func showThroughput(pin: String) async throws {
        try print("3. GET in a closed loop, \(Self.connections) connections, TLS, origin in the same process:")
        let session = try session(pin: pin)
        let progress = Task { await showProgress() }
        let generator = LoadGenerator(
            request: request, connections: Self.connections, duration: duration, session: session)
        let result = await generator.run()
        progress.cancel()
        await progress.value
        if let error = result.firstError { throw error }
        let tenths = Int((result.seconds * 10).rounded())
        let rate = Int((Double(result.requests) / result.seconds).rounded())
        try print("   \(result.requests) requests in \(tenths / 10).\(tenths % 10) s: \(rate) requests/s")
    }

    private func session(pin: String) throws -> Session {
        var configuration = SessionConfiguration.default
        configuration.tls.anchors = .only(try X509Certificate.all(inPEM: authority.certificatePEM))
        let policy = ServerTrustPolicy.pinPublicKeys(
            publicKeys: [try X509Certificate.PublicKey(pin: pin)], validateCertificateChain: true, validateHost: true)
        return Session(
            configuration: configuration,
            serverTrustPolicyManager: ServerTrustPolicyManager(policies: [request.host ?? "": policy]))
    }

    /// One progress line, on a terminal only; failures are ignored.
    private func showProgress() async {
        guard isatty(STDOUT_FILENO) == 1 else { return }
        let steps = 40
        for step in 1...steps {
            guard (try? await Task.sleep(for: duration / steps)) != nil else { break }
            let bar = String(repeating: "#", count: step) + String(repeating: ".", count: steps - step)
            write("\r   [\(bar)]")
        }
        write("\r\u{1B}[K")
    }

    private func write(_ text: String) { _ = unsafe TernLibC.write(STDOUT_FILENO, text, text.utf8.count) }
}
