// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernFiles
import TernTLS

/// The servers to trust, with curl's option names.
struct TrustOptions: OptionGroup, Equatable {
    static var table: OptionTable<Self> {
        OptionTable(
            .value("--cacert", as: "file", help: "Trust only the certificates in this PEM file.") {
                $0.caCertificateFile = $1.text
            },
            .value(
                "--capath", as: "folder",
                help:
                    "Trust only the certificates in this folder, which \"openssl rehash\" has prepared, and of --cacert."
            ) { $0.caFolder = $1.text },
            .value(
                "--pin", as: "sha256/BASE64", repeats: true,
                help: "Require this public key in the verified chain; repeat for backup pins."
            ) { $0.pins.append($1.text) },
            .group(\.policyFile),
            .value(
                "--pinnedpubkey", as: "file or hashes",
                help: """
                    Require that the server's own public key is the one in this file, in PEM or DER, or has one of the hashes in \
                    "sha256//BASE64;sha256//BASE64".
                    """
            ) { $0.pinnedKey = $1.text },
            .toggle("-k", "--insecure", help: "Skip the checks of chain and host. Pins still apply.") {
                $0.isInsecure = $1
            },
            .group(\.versions),
            .group(\.algorithms),
            .group(\.revocation),
            .group(\.completeness),
            .group(\.transparency),
            .value(
                "--crlfile", as: "file",
                help: "Require that the revocation lists in this PEM file cover each certificate, and revoke none."
            ) { $0.revocationListFile = $1.text },
            .group(\.distrusted),
            .group(\.identity))
    }

    var caCertificateFile: String?
    var caFolder: String?
    var pins: [String] = []
    var policyFile = PolicyOptions()
    var pinnedKey: String?
    var revocationListFile: String?
    var distrusted = DistrustedOptions()
    var isInsecure = false
    var versions = TLSVersionOptions()
    var algorithms = TLSAlgorithmOptions()
    var revocation = RevocationOptions()
    var completeness = CompletenessOptions()
    var transparency = TransparencyOptions()
    var identity = IdentityOptions()

    func validate() throws {
        if isInsecure, revocation.policy != nil {
            throw UsageError(
                "-k skips the chain, so there is no status to check: give -k or --cert-status, not both")
        }
        if isInsecure, let option = (completeness.given + distrusted.given).first {
            throw UsageError("-k skips the chain: give -k or \(option), not both")
        }
        if isInsecure, transparency.logList != nil {
            throw UsageError("-k skips the chain, in which timestamps are: give -k or --ct, not both")
        }
        guard policyFile.file != nil else { return }
        if isInsecure {
            throw UsageError("-k skips the chain, which a policy file validates: give -k or --policy, not both")
        }
        if !pins.isEmpty || pinnedKey != nil { throw UsageError("give --policy or --pin, not both") }
    }

    /// As in curl, its options about TLS may stand beside an http URL. Those that only tern has say that a check is made.
    ///
    /// - Throws: a usage error for checks that plain http cannot have.
    func check(_ target: RequestedURL) throws {
        guard !target.isSecure, !given.isEmpty else { return }
        throw UsageError(
            "\(given.joined(separator: ", ")): this has no effect on an http URL: give an https URL, or omit it"
        )
    }

    private var given: [String] {
        [
            ("--pin", !pins.isEmpty), ("--ct", transparency.logList != nil), ("--policy", policyFile.file != nil),
            ("--check-revocation", revocation.checks),
        ]
        .filter(\.1).map(\.0) + (completeness.mustStaple ? ["--must-staple"] : []) + distrusted.given
    }

    func configuration() throws -> SessionConfiguration {
        var configuration = SessionConfiguration.default
        if let anchors = try anchors() { configuration.tls.anchors = anchors }
        if let revocationListFile {
            configuration.tls.revocationLists = try Self.read(
                revocationListFile, "--crlfile", .revocationLists, CertificateRevocationList.all(in:))
        }
        configuration.tls.distrustedCertificates = try distrusted.certificates(.revocationLists)
        completeness.apply(to: &configuration.tls)
        configuration.tls.transparencyLogs = try transparency.logs { CommandFailure(.authorities, $0) }
        versions.apply(to: &configuration.tls)
        algorithms.apply(to: &configuration.tls)
        configuration.tls.identity = try identity.identity()
        configuration.tls.keyLog = identity.keyLog
        return configuration
    }

    /// Nil for the system's.
    private func anchors() throws -> TrustAnchors? {
        // No chain ends in one, and a pin of --pin is the only one that an authority may match.
        if isInsecure, pins.isEmpty { return .only([]) }
        let certificates = try caCertificateFile.map {
            try Self.read($0, "--cacert", .authorities, X509Certificate.all(inPEM:))
        }
        guard let caFolder else { return certificates.map(TrustAnchors.only) }
        guard FileStatus(of: caFolder)?.kind == .folder else {
            throw CommandFailure(.authorities, "--capath: \(caFolder) is not a folder")
        }
        return .folder(caFolder, and: certificates ?? [])
    }

    /// - Throws: a failure with this status that names the option and the file.
    static func read<Value>(
        _ path: String, _ option: String, _ status: ExitStatus, _ parse: ([UInt8]) throws -> Value
    ) throws -> Value {
        do {
            return try parse([UInt8](try InputFile.contents(of: path)))
        } catch let error as InputError {
            throw CommandFailure(status, "\(option): \(error)")
        } catch {
            throw CommandFailure(status, "\(option): \(path): \(error)")
        }
    }

    /// Also for the targets of redirects.
    func policiesForEveryHost() throws -> ServerTrustPolicyManager? {
        let policy = try policy()
        guard let file = try filePolicies() else { return policy.map { UniformTrustPolicy($0) } }
        return policy.map { UniformTrustPolicy($0, with: file) } ?? file
    }

    func policies(forHost host: String?) throws -> ServerTrustPolicyManager? {
        if policyFile.file != nil { return try policiesForEveryHost() }
        guard let host, let policy = try policy() else { return nil }
        return ServerTrustPolicyManager(policies: [host: policy])
    }

    /// Those of `--policy`.
    private func filePolicies() throws -> ServerTrustPolicyManager? {
        try policyFile.policy { CommandFailure(.pin, $0) }?.manager()
    }

    private func policy() throws -> ServerTrustPolicy? {
        var policies = [revocation.policy, transparency.policy()].compactMap(\.self)
        if revocationListFile != nil, !isInsecure {
            // As in OpenSSL's programs, each certificate must be covered.
            policies.append(
                .performRevokedEvaluation(
                    validateHost: true, revocationFlags: [.crl, .networkAccessDisabled, .requirePositiveResponse]))
        }
        if !pins.isEmpty {
            let keys = try pins.map { pin in try Self.key(pin, "--pin \(pin)") }
            policies.append(
                .pinPublicKeys(publicKeys: keys, validateCertificateChain: !isInsecure, validateHost: !isInsecure))
        }
        if let pinnedKey {
            var set = PinSet(pins: try Self.keys(pinnedKey), scope: .leaf)
            set.validatesChain = !isInsecure
            policies.append(.pinSet(set))
        }
        if policies.count > 1 { return .composite(policies) }
        return policies.first ?? (isInsecure ? .disableEvaluation : nil)
    }

    /// curl's grammar: hashes with two slashes, or a file. One slash, as in --pin, is taken, too.
    private static func keys(_ argument: String) throws -> [X509Certificate.PublicKey] {
        let prefix = "sha256/"
        guard argument.hasPrefix(prefix) else {
            return [try read(argument, "--pinnedpubkey", .pin, X509Certificate.PublicKey.init(publicKeyFile:))]
        }
        return try argument.split(separator: ";").map { hash in
            guard hash.hasPrefix(prefix) else {
                throw UsageError("--pinnedpubkey: \"\(hash)\" does not begin with sha256//")
            }
            return try key(String(hash), "--pinnedpubkey \(hash)")
        }
    }

    private static func key(_ pin: String, _ option: String) throws -> X509Certificate.PublicKey {
        do throws(PinError) {
            return try X509Certificate.PublicKey(pin: pin)
        } catch {
            throw UsageError("\(option): \(error)")
        }
    }
}

/// One policy for every host, so that the options also apply to the targets of redirects; together with each host's own in a
/// policy file, if there is one.
final class UniformTrustPolicy: ServerTrustPolicyManager, @unchecked Sendable {
    // Immutable, hence `@unchecked Sendable`.
    private let policy: ServerTrustPolicy
    private let file: ServerTrustPolicyManager?

    init(_ policy: ServerTrustPolicy, with file: ServerTrustPolicyManager? = nil) {
        (self.policy, self.file) = (policy, file)
        super.init(
            policies: [:], allHostsMustBeEvaluated: file?.allHostsMustBeEvaluated ?? false,
            profile: file?.profile,
            maximumPathDepth: file?.maximumPathDepth)
    }

    override func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? {
        if let own = file?.serverTrustPolicy(forHost: host) { return .composite([own, policy]) }
        return allHostsMustBeEvaluated ? nil : policy
    }
}
