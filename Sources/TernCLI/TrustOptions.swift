// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Tern

/// The servers to trust, with curl's option names.
struct TrustOptions: ParsableArguments {
    @Option(name: .customLong("cacert"), help: "Trust only the certificates in this PEM file.")
    var caCertificateFile: String?

    @Option(
        name: .customLong("pin"),
        help: ArgumentHelp(
            "Require this public key in the verified chain; repeat for backup pins.",
            valueName: "sha256/BASE64"))
    var pins: [String] = []

    @Flag(
        name: [.customShort("k"), .customLong("insecure")], help: "Skip the checks of chain and host. Pins still apply."
    )
    var isInsecure = false

    @OptionGroup var versions: TLSVersionOptions

    @OptionGroup var revocation: RevocationOptions

    @OptionGroup var identity: IdentityOptions

    func validate() throws {
        if isInsecure, caCertificateFile != nil {
            throw ValidationError("-k skips the chain, so --cacert would have no effect: give one of them")
        }
        if isInsecure, revocation.policy != nil {
            throw ValidationError(
                "-k skips the chain, so there is no status to check: give -k or --cert-status, not both")
        }
    }

    /// - Throws: a usage error for options without effect over plain http.
    func check(_ target: RequestedURL) throws {
        let given = given + identity.given
        guard !target.isSecure, !given.isEmpty else { return }
        throw ValidationError(
            "\(given.joined(separator: ", ")): this has no effect on an http URL: give an https URL, or omit it"
        )
    }

    private var given: [String] {
        [
            ("--cacert", caCertificateFile != nil), ("--pin", !pins.isEmpty),
            ("--check-revocation", revocation.checks), ("--cert-status", revocation.demands),
        ].filter(\.1).map(\.0)
    }

    func configuration() throws -> SessionConfiguration {
        var configuration = SessionConfiguration.default
        if let caCertificateFile {
            do {
                let pem = try InputFile.contents(of: caCertificateFile)
                configuration.tls.anchors = .only(try X509Certificate.all(inPEM: [UInt8](pem)))
            } catch let error as InputError {
                throw CommandFailure(.authorities, "--cacert: \(error)")
            } catch {
                throw CommandFailure(.authorities, "--cacert: \(caCertificateFile): \(error)")
            }
        }
        versions.apply(to: &configuration.tls)
        configuration.tls.identity = try identity.identity()
        configuration.tls.keyLog = identity.keyLog
        return configuration
    }

    /// Also for the targets of redirects.
    func policiesForEveryHost() throws -> ServerTrustPolicyManager? {
        try policy().map(UniformTrustPolicy.init)
    }

    func policies(forHost host: String?) throws -> ServerTrustPolicyManager? {
        guard let host, let policy = try policy() else { return nil }
        return ServerTrustPolicyManager(policies: [host: policy])
    }

    private func policy() throws -> ServerTrustPolicy? {
        if pins.isEmpty { return isInsecure ? .disableEvaluation : revocation.policy }
        let keys = try pins.map { pin in
            do {
                return try X509Certificate.PublicKey(pin: pin)
            } catch {
                throw ValidationError("--pin \(pin): \(error)")
            }
        }
        let pinned = ServerTrustPolicy.pinPublicKeys(
            publicKeys: keys, validateCertificateChain: !isInsecure, validateHost: !isInsecure)
        return revocation.policy.map { .composite([$0, pinned]) } ?? pinned
    }
}
