// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernTLS

/// The servers to trust, with curl's option names.
struct TrustOptions: OptionGroup {
    static var table: OptionTable<Self> {
        OptionTable(
            .value("--cacert", as: "file", help: "Trust only the certificates in this PEM file.") {
                $0.caCertificateFile = $1.text
            },
            .value(
                "--pin", as: "sha256/BASE64", repeats: true,
                help: "Require this public key in the verified chain; repeat for backup pins."
            ) { $0.pins.append($1.text) },
            .flag("-k", "--insecure", help: "Skip the checks of chain and host. Pins still apply.") {
                $0.isInsecure = true
            },
            .group(\.versions),
            .group(\.revocation),
            .group(\.identity))
    }

    var caCertificateFile: String?
    var pins: [String] = []
    var isInsecure = false
    var versions = TLSVersionOptions()
    var revocation = RevocationOptions()
    var identity = IdentityOptions()

    func validate() throws {
        if isInsecure, caCertificateFile != nil {
            throw UsageError("-k skips the chain, so --cacert would have no effect: give one of them")
        }
        if isInsecure, revocation.policy != nil {
            throw UsageError(
                "-k skips the chain, so there is no status to check: give -k or --cert-status, not both")
        }
    }

    /// - Throws: a usage error for options without effect over plain http.
    func check(_ target: RequestedURL) throws {
        let given = given + identity.given
        guard !target.isSecure, !given.isEmpty else { return }
        throw UsageError(
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
                throw UsageError("--pin \(pin): \(error)")
            }
        }
        let pinned = ServerTrustPolicy.pinPublicKeys(
            publicKeys: keys, validateCertificateChain: !isInsecure, validateHost: !isInsecure)
        return revocation.policy.map { .composite([$0, pinned]) } ?? pinned
    }
}

/// The allowed versions of TLS, with curl's option names.
struct TLSVersionOptions: OptionGroup {
    static var table: OptionTable<Self> {
        OptionTable(
            .flag(
                "-1", "--tlsv1", "--tlsv1.0", "--tlsv1.1", "--tlsv1.2", help: "Use TLS 1.2 or later (always the case)."
            ) { $0.speaksUsual = true },
            .flag("--tlsv1.3", help: "Speak TLS 1.3 or later.") { $0.speaksLatest = true },
            .value("--tls-max", as: "version", help: "The maximum TLS version: 1.2, 1.3 or default.") {
                $0.maximum = $1.text
            })
    }

    var speaksUsual = false
    var speaksLatest = false
    var maximum: String?

    func validate() throws {
        guard let maximum else { return }
        guard ["1.2", "1.3", "default"].contains(maximum) else {
            throw UsageError("--tls-max \(maximum): give 1.2, 1.3 or default")
        }
        if speaksLatest, maximum == "1.2" {
            throw UsageError("--tlsv1.3 and --tls-max 1.2 leave no version: give one of them")
        }
    }

    func apply(to configuration: inout TLSSettings) {
        if speaksLatest { configuration.minimumVersion = .v1_3 }
        if maximum == "1.2" { configuration.maximumVersion = .v1_2 }
    }
}

/// Whether to check if certificates have been revoked, over the network if necessary.
struct RevocationOptions: OptionGroup {
    static var table: OptionTable<Self> {
        OptionTable(
            .flag(
                "--check-revocation",
                help:
                    "Refuse certificates that are known to be revoked, by a stapled or fetched OCSP response or by a list."
            ) { $0.checks = true },
            .flag(
                "--cert-status",
                help: "As --check-revocation, and also refuse a certificate without a positive response."
            ) { $0.demands = true })
    }

    var checks = false
    var demands = false

    /// Nil if revocation is not checked.
    var policy: ServerTrustPolicy? {
        guard checks || demands else { return nil }
        return .performRevokedEvaluation(
            validateHost: true,
            revocationFlags: demands ? [.useAnyAvailableMethod, .requirePositiveResponse] : .useAnyAvailableMethod)
    }
}

/// The client's identity, with curl's option names.
struct IdentityOptions: OptionGroup {
    static var table: OptionTable<Self> {
        OptionTable(
            .value(
                "-E", "--cert", as: "file[:password]",
                help:
                    "Send this certificate to servers that request one: PEM, or PKCS#12 if the file ends in .p12 or .pfx."
            ) { $0.certificate = $1.text },
            .value("--key", as: "file", help: "The private key in PEM, if it is not in the certificate's file.") {
                $0.keyFile = $1.text
            },
            .value(
                "--key-log", as: "file",
                help: "Append the secrets of the connection to this file, for Wireshark. Delete it afterwards."
            ) { $0.keyLogFile = $1.text })
    }

    var certificate: String?
    var keyFile: String?
    var keyLogFile: String?

    var keyLog: TLSKeyLog? { keyLogFile.map { TLSKeyLog(path: $0) } }

    /// The given options.
    var given: [String] {
        [("--cert", certificate != nil), ("--key", keyFile != nil), ("--key-log", keyLogFile != nil)]
            .filter(\.1).map(\.0)
    }

    func identity() throws -> ClientIdentity? {
        guard let certificate else {
            if keyFile != nil { throw UsageError("--key needs --cert") }
            return nil
        }
        let (file, password) = Self.split(certificate)
        let bytes = try Self.read(file, "--cert")
        do {
            if file.hasSuffix(".p12") || file.hasSuffix(".pfx") {
                return try ClientIdentity(pkcs12: bytes, passphrase: password ?? "")
            }
            return try ClientIdentity(
                pem: bytes, privateKeyPEM: try keyFile.map { try Self.read($0, "--key") }, passphrase: password)
        } catch let error as ClientIdentityError {
            throw CommandFailure(.clientCertificate, "--cert \(file): \(error)")
        }
    }

    /// As in curl, the first colon ends the file's name; `\:` is a colon in it.
    private static func split(_ argument: String) -> (file: String, password: String?) {
        var file = ""
        var rest = Substring(argument)
        while let character = rest.popFirst() {
            if character == "\\", rest.first == ":" || rest.first == "\\", let escaped = rest.popFirst() {
                file.append(escaped)
            } else if character == ":" {
                return (file, String(rest))
            } else {
                file.append(character)
            }
        }
        return (file, nil)
    }

    private static func read(_ file: String, _ option: String) throws -> [UInt8] {
        do throws(InputError) {
            return [UInt8](try InputFile.contents(of: file))
        } catch {
            throw CommandFailure(.clientCertificate, "\(option): \(error)")
        }
    }
}

/// One policy for every host, so that the options also apply to the targets of redirects.
final class UniformTrustPolicy: ServerTrustPolicyManager, @unchecked Sendable {
    // Immutable, hence `@unchecked Sendable`.
    private let policy: ServerTrustPolicy

    init(_ policy: ServerTrustPolicy) {
        self.policy = policy
        super.init(policies: [:])
    }

    override func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? { policy }
}
