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
        guard let file = try filePolicies() else { return policy.map(UniformTrustPolicy.init) }
        return policy.map { FileTrustPolicy(file, and: $0) } ?? file
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

/// Lists of certificates that must not be trusted.
struct DistrustedOptions: OptionGroup, Equatable {
    static var table: OptionTable<Self> {
        OptionTable(
            .value(
                "--distrusted", as: "file", repeats: true,
                help:
                    "Refuse the certificates in this file, intermediates too: OneCRL's JSON, or a CRLSet of Chromium; repeat for more."
            ) { $0.files.append($1.text) })
    }

    var files: [String] = []

    /// The option, if it is given.
    var given: [String] { files.isEmpty ? [] : ["--distrusted"] }

    /// The certificates of all files. A list that should have been replaced counts, and a warning tells of it.
    ///
    /// - Parameters:
    ///   - status: that of a file that cannot be used; nil for wrong usage.
    ///   - time: nil for now.
    func certificates(_ status: ExitStatus? = nil, at time: Int64? = nil) throws -> DistrustedCertificates {
        try files.reduce(.none) { all, file in
            let list: DistrustedCertificates
            do {
                list = try TrustOptions.read(
                    file, "--distrusted", status ?? .usage, DistrustedCertificates.init(contents:))
            } catch let failure as CommandFailure where status == nil {
                throw UsageError(failure.message)
            }
            if let end = list.validUntil, end < time ?? Timestamp.current {
                StandardStreams.tell(
                    "tern: warning: \(file): the list is outdated since \(Timestamp.rfc3339(end)); get a newer one")
            }
            return all.union(list)
        }
    }
}

/// The offered algorithms of TLS, with curl's option names and OpenSSL's names of algorithms.
struct TLSAlgorithmOptions: OptionGroup, Equatable {
    static var table: OptionTable<Self> {
        OptionTable(
            .value(
                "--ciphers", as: "list",
                help: "Offer these cipher suites of TLS 1.2, as openssl-ciphers(1) names them, joined by \":\"."
            ) { $0.cipherList = $1.text },
            .value(
                "--tls13-ciphers", as: "list",
                help: "Offer these cipher suites of TLS 1.3, such as TLS_AES_256_GCM_SHA384, joined by \":\"."
            ) { $0.cipherSuites = $1.text },
            .value(
                "--curves", as: "list", help: "Exchange keys in these groups, such as X25519:P-256, joined by \":\"."
            ) { $0.groups = $1.text })
    }

    var cipherList: String?
    var cipherSuites: String?
    var groups: String?

    func apply(to configuration: inout TLSSettings) {
        configuration.cipherList = cipherList
        configuration.cipherSuites = cipherSuites
        configuration.groups = groups
    }
}

/// The allowed versions of TLS and its extensions, with curl's option names.
struct TLSVersionOptions: OptionGroup, Equatable {
    static var table: OptionTable<Self> {
        OptionTable(
            .flag(
                "-1", "--tlsv1", "--tlsv1.0", "--tlsv1.1", "--tlsv1.2", help: "Use TLS 1.2 or later (always the case)."
            ) { $0.speaksUsual = true },
            .flag("--tlsv1.3", help: "Speak TLS 1.3 or later.") { $0.speaksLatest = true },
            .value("--tls-max", as: "version", help: "The maximum TLS version: 1.2, 1.3 or default.") {
                $0.maximum = $1.text
            },
            .toggle("--no-sessionid", help: "Resume no session of an earlier connection.") { $0.isResuming = !$1 },
            .toggle("--no-alpn", help: "Do not tell the server that HTTP/1.1 follows.") { $0.namesProtocol = !$1 })
    }

    var speaksUsual = false
    var speaksLatest = false
    var maximum: String?
    var isResuming = true
    var namesProtocol = true

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
        configuration.resumesSessions = isResuming
        if !namesProtocol { configuration.applicationProtocols = [] }
    }
}

/// Whether to check if certificates have been revoked, over the network if necessary.
struct RevocationOptions: OptionGroup, Equatable {
    static var table: OptionTable<Self> {
        OptionTable(
            .toggle(
                "--check-revocation",
                help:
                    "Refuse certificates that are known to be revoked, by a stapled or fetched OCSP response or by a list."
            ) { $0.checks = $1 },
            .toggle(
                "--cert-status",
                help: "As --check-revocation, and also refuse a certificate without a positive response."
            ) { $0.demands = $1 })
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

/// What to do about a server that sends less than it should.
struct CompletenessOptions: OptionGroup, Equatable {
    static var table: OptionTable<Self> {
        OptionTable(
            .toggle(
                "--fetch-issuers",
                help:
                    "Fetch intermediates that the server does not send from the http URLs that certificates name; they are not trusted."
            ) { $0.fetchesIssuers = $1 },
            .toggle(
                "--must-staple",
                help:
                    "Refuse a certificate that requires a stapled OCSP response if the server sends no good one."
            ) { $0.mustStaple = $1 })
    }

    var fetchesIssuers = false
    var mustStaple = false

    /// The options that are on.
    var given: [String] {
        [("--fetch-issuers", fetchesIssuers), ("--must-staple", mustStaple)].filter(\.1).map(\.0)
    }

    func apply(to settings: inout TLSSettings) {
        settings.fetchesMissingIssuers = fetchesIssuers
        settings.enforcesMustStaple = mustStaple
    }
}

/// The client's identity, with curl's option names.
struct IdentityOptions: OptionGroup, Equatable {
    static var table: OptionTable<Self> {
        OptionTable(
            .value(
                "-E", "--cert", as: "file[:password]",
                help:
                    "Send this certificate to servers that request one: PEM, or PKCS#12 if the file ends in .p12 or .pfx."
            ) { $0.certificate = $1.given },
            .value(
                "--cert-type", as: "PEM|DER|P12", help: "How the file of --cert is encoded, whatever its name."
            ) { $0.certificateType = try $1.read(FileEncoding.init(argument:)) },
            .value(
                "--key", as: "file|URI",
                help:
                    "The private key in PEM, if it is not in the certificate's file; or pkcs11:… of a token that has it."
            ) { $0.keyFile = $1.given },
            .value(
                "--key-type", as: "PEM|DER|ENG|PROV", help: "How the private key is encoded, or that --key is a URI."
            ) {
                $0.keyType = try $1.read(FileEncoding.init(argument:))
            },
            .value(
                "--pass", as: "passphrase",
                help: "The passphrase of the private key. Every user of this machine can see it."
            ) { $0.passphrase = $1.text },
            .value(
                "--key-log", as: "file",
                help:
                    "Append the secrets of the connection to this file in place of $SSLKEYLOGFILE, for Wireshark. Delete it afterwards."
            ) { $0.keyLogFile = $1.text })
    }

    /// How a certificate or a key is encoded.
    enum FileEncoding: String {
        case pem, der, p12
        /// A URI of a key that is elsewhere, in an engine or a provider.
        case eng, prov

        init?(argument: String) { self.init(rawValue: argument.lowercased()) }
    }

    var certificate: String?
    var certificateType: FileEncoding?
    var keyFile: String?
    var keyType: FileEncoding?
    var passphrase: String?
    var keyLogFile: String?

    /// That of the option, or of the environment as in curl: the user of the command may look at its own connections. The
    /// library reads no variable.
    var keyLog: TLSKeyLog? {
        (keyLogFile ?? ProcessInfo.processInfo.environment["SSLKEYLOGFILE"].flatMap { $0.isEmpty ? nil : $0 })
            .map { TLSKeyLog(path: $0) }
    }

    func validate() throws {
        if keyType == .p12 {
            throw UsageError("--key-type P12: give PEM or DER, or --cert-type P12 for both in one file")
        }
        if let certificateType, [.eng, .prov].contains(certificateType) {
            throw UsageError("--cert-type: a certificate is read from a file: give PEM, DER or P12")
        }
    }

    func identity() throws -> ClientIdentity? {
        guard let certificate else { return nil }
        let (file, joined) = Self.split(certificate)
        if joined != nil, passphrase != nil {
            throw UsageError("--cert \(file):… and --pass are two passphrases: give one of them")
        }
        let type = certificateType ?? (file.hasSuffix(".p12") || file.hasSuffix(".pfx") ? .p12 : .pem)
        if type == .p12, keyFile != nil || keyType != nil {
            throw UsageError("--cert \(file): a PKCS#12 file has its own key: omit --key and --key-type")
        }
        let bytes = try Self.read(file, "--cert")
        do {
            if type == .p12 { return try ClientIdentity(pkcs12: bytes, passphrase: joined ?? passphrase ?? "") }
            let certificates = type == .der ? [try X509Certificate(der: bytes)] : try X509Certificate.all(inPEM: bytes)
            if let keyFile, namesStore(keyFile) {
                return try ClientIdentity(
                    certificates: certificates, keyURI: keyFile, passphrase: joined ?? passphrase)
            }
            return try ClientIdentity(
                certificates: certificates,
                privateKey: try keyFile.map { try Self.read($0, "--key") } ?? bytes,
                encoding: keyType == .der ? .der : .pem, passphrase: joined ?? passphrase)
        } catch let error as ClientIdentityError {
            throw CommandFailure(.clientCertificate, "--cert \(file): \(error)")
        } catch let error as CertificateError {
            throw CommandFailure(.clientCertificate, "--cert \(file): \(error)")
        }
    }

    /// As in curl, a URI of PKCS #11 is known by its scheme.
    private func namesStore(_ key: String) -> Bool {
        keyType == .eng || keyType == .prov || key.lowercased().hasPrefix("pkcs11:")
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

/// A policy file's, each host's together with one for every host.
final class FileTrustPolicy: ServerTrustPolicyManager, @unchecked Sendable {
    // Immutable, hence `@unchecked Sendable`.
    private let file: ServerTrustPolicyManager
    private let policy: ServerTrustPolicy

    init(_ file: ServerTrustPolicyManager, and policy: ServerTrustPolicy) {
        (self.file, self.policy) = (file, policy)
        super.init(
            policies: [:], allHostsMustBeEvaluated: file.allHostsMustBeEvaluated, profile: file.profile,
            maximumPathDepth: file.maximumPathDepth)
    }

    override func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? {
        if let own = file.serverTrustPolicy(forHost: host) { return .composite([own, policy]) }
        return allHostsMustBeEvaluated ? nil : policy
    }
}
