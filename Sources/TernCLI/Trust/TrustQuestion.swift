// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernTLS

/// The server to evaluate, the policy, and the time.
struct TrustQuestion: OptionGroup {
    static var table: OptionTable<Self> {
        OptionTable(
            .operand(
                "url", isRequired: false,
                help: "An https URL whose server is evaluated; it is asked only for its certificates."
            ) { $0.url = $1.text },
            .value(
                "--chain", as: "file", help: "A PEM file with the server's certificate first, then its intermediates."
            ) { $0.chain = $1.text },
            .value(
                "--host", as: "host",
                help: "The DNS name or IP address that the certificate must be for; without it, no name is checked."
            ) { $0.host = $1.text },
            .value(
                "--anchors", "--cacert", as: "file",
                help: "A PEM file with the only certificates to trust; without it, the system's."
            ) { $0.anchors = $1.text },
            .group(\.policy),
            .value(
                "--pin", as: "sha256/BASE64", repeats: true,
                help: "Require this public key in the verified chain; repeat for backup pins."
            ) { $0.pins.append($1.text) },
            .value(
                "--crl", as: "file", repeats: true,
                help:
                    "Refuse certificates that the revocation lists in this file revoke, in PEM or DER; repeat for more."
            ) { $0.lists.append($1.text) },
            .group(\.distrusted),
            .group(\.revocation),
            .group(\.completeness),
            .group(\.transparency),
            .value(
                "--staple", as: "file", help: "An OCSP response in DER, as if the server of --chain had stapled it."
            ) { $0.staple = $1.text },
            .value(
                "--timestamps", as: "file",
                help:
                    "A list of timestamps of logs, as if the server of --chain had sent it (RFC 6962 §3.3)."
            ) { $0.timestamps = $1.text },
            .value("--at", as: "time", help: "The date, or the RFC 3339 time, of the evaluation; by default now.") {
                $0.at = $1.text
            },
            .value(
                "--profile", as: "standard|web",
                help: "The rules for chains: standard, or web for the CA/Browser Forum's in addition."
            ) { $0.profile = try $1.read(TrustProfile.init(rawValue:)) },
            .value(
                "--max-path-depth", as: "N",
                help: "Refuse chains of more than N certificates between the server's own and its anchor, 0 to 10."
            ) { $0.maximumPathDepth = try $1.read(Self.pathDepth(in:)) },
            .group(\.routes))
    }

    var url: String?
    var chain: String?
    var host: String?
    var anchors: String?
    var policy = PolicyOptions()
    var pins: [String] = []
    var lists: [String] = []
    var distrusted = DistrustedOptions()
    var revocation = RevocationOptions()
    var completeness = CompletenessOptions()
    var transparency = TransparencyOptions()
    var staple: String?
    var timestamps: String?
    var at: String?
    var profile: TrustProfile?
    var maximumPathDepth: Int?
    var routes = RouteOptions()

    private static func pathDepth(in text: String) -> Int? {
        Int(text).flatMap { (0...10).contains($0) && text.allSatisfy(\.isNumber) ? $0 : nil }
    }

    func validate() throws {
        guard url == nil || chain == nil else { throw UsageError("give a URL or --chain, not both") }
        guard pins.isEmpty || policy.file == nil else { throw UsageError("give --policy or --pin, not both") }
        if let url { _ = try RequestedURL(secure: url) }
        if url != nil, staple != nil || timestamps != nil {
            throw UsageError("--staple and --timestamps need --chain: a server has its own")
        }
        if url == nil {
            try LiveServer.check(routes)
            if completeness.mustStaple, staple == nil {
                throw UsageError("--must-staple needs a URL, or --staple: a file has no stapled response")
            }
        }
        if policy.file != nil, url == nil, host == nil { throw UsageError("--policy needs --host to look up") }
    }

    /// Asks the server, if there is one, and evaluates it.
    func answer() async throws -> ServerTrustResult {
        let moment = try moment()
        let rule = try rule(at: moment?.seconds)
        let logs = try transparency.logs()
        let transparency = transparency.policy()
        var trust = try await presented()
        trust.transparencyLogs = logs
        if let moment {
            trust.time = moment.seconds
            trust.isBetweenSeconds = moment.hasFraction
        }
        trust.profile = profile ?? trust.profile
        trust.maximumPathDepth = maximumPathDepth ?? trust.maximumPathDepth
        trust.revocation.lists += try lists.flatMap(Self.read(list:))
        trust.distrustedCertificates = try distrusted.certificates(at: moment?.seconds)
        trust.enforcesMustStaple = completeness.mustStaple
        let host = try host ?? url.map { try RequestedURL(secure: $0).url }.flatMap(LiveServer.host(of:))
        if completeness.fetchesIssuers, let policy = rule.policy(forHost: host) {
            trust = await trust.fetchingIssuers(
                for: policy, configuration: try LiveServer.configuration(.system, routes))
        }
        let result = rule.evaluate(trust, host: host, and: transparency)
        let own = revocationPolicy
        let asksNetwork = revocation.policy != nil || url != nil && policy.file != nil
        // Responders are not asked about a server that is refused without them.
        guard result.isAccepted, own != nil || asksNetwork else { return result }
        if asksNetwork, let asking = revocation.policy ?? rule.policy(forHost: host) {
            trust = await trust.fetchingRevocation(
                for: asking, configuration: try LiveServer.configuration(.system, routes))
        }
        let others = [transparency, own].compactMap(\.self)
        let last = rule.evaluate(trust, host: host, and: others.isEmpty ? nil : .composite(others))
        if !lists.isEmpty { warnOfSilence(in: last.revocation) }
        return last
    }

    /// A list that is outdated, forged or of another issuer has no effect, contrary to what its user expects.
    private func warnOfSilence(in findings: [RevocationFinding]) {
        for finding in findings where finding.status == .undetermined {
            StandardStreams.tell(
                "tern: warning: certificate \(finding.depth) (\(finding.certificate)): no given list that is valid covers "
                    + "it; its revocation status is unknown")
        }
    }

    /// The revocation settings of the lists and the flags.
    private var revocationPolicy: ServerTrustPolicy? {
        if let policy = revocation.policy { return policy }
        if lists.isEmpty { return nil }
        return .performRevokedEvaluation(validateHost: true, revocationFlags: [.crl, .networkAccessDisabled])
    }

    private static func read(list path: String) throws -> [CertificateRevocationList] {
        let contents = try contents(of: path, "--crl")
        do {
            return try CertificateRevocationList.all(in: [UInt8](contents))
        } catch {
            throw UsageError("--crl: \(path): \(error)")
        }
    }

    /// - Parameter option: the one that names the file; nil for an operand.
    /// - Throws: a usage error that names the option.
    static func contents(of path: String, _ option: String?) throws -> Data {
        do throws(InputError) {
            return try InputFile.contents(of: path)
        } catch {
            throw UsageError((option.map { $0 + ": " } ?? "") + "\(error)")
        }
    }

    /// The server's certificates, or the file instead.
    private func presented() async throws -> ServerTrust {
        let anchors = try CertificateFile.anchors(self.anchors)
        if let chain {
            var trust = ServerTrust(
                sentChain: try CertificateFile.certificates(chain, option: "--chain"), anchors: anchors)
            trust.revocation.stapledResponse = try staple.map {
                OCSPResponse(der: [UInt8](try Self.contents(of: $0, "--staple")))
            }
            if let timestamps {
                let bytes = [UInt8](try Self.contents(of: timestamps, "--timestamps"))
                guard let list = SignedCertificateTimestamp.list(bytes) else {
                    throw UsageError("--timestamps: \(timestamps): no list of timestamps")
                }
                trust.handshakeTimestamps = list.map(Array.init)
            }
            return trust
        }
        guard let url = try url.map({ try RequestedURL(secure: $0).url }) else {
            throw UsageError("give an https URL, --chain or --batch")
        }
        return try await LiveServer(url: url, anchors: anchors, routes: routes).presented()
    }

    private func moment() throws -> (seconds: Int64, hasFraction: Bool)? { try at.map(Self.moment) }

    /// The value of `--at`: a date is its first second in UTC.
    static func moment(_ text: String) throws -> (seconds: Int64, hasFraction: Bool) {
        guard let moment = Timestamp.moment(dateOrTime: text) else {
            throw UsageError("--at: \"\(text)\" is neither a date such as 2030-12-31 nor an RFC 3339 time")
        }
        return moment
    }

    private func warn(about file: PolicyFile, at time: Int64) {
        for (set, warning) in file.warnings(at: time) {
            let hosts = set.hosts.map(\.description).joined(separator: ", ")
            StandardStreams.tell("tern: warning: \(hosts): \(warning)")
        }
    }

    private func rule(at time: Int64?) throws -> TrustRule {
        if var file = try policy.policy({ UsageError($0) }) {
            warn(about: file, at: time ?? Timestamp.current)
            // The command line takes precedence over a file.
            file.profile = profile ?? file.profile
            file.maximumPathDepth = maximumPathDepth ?? file.maximumPathDepth
            return .manager(file.manager())
        }
        if pins.isEmpty { return .policy(.performDefaultEvaluation(validateHost: true)) }
        let keys = try pins.map { pin in
            do { return try X509Certificate.PublicKey(pin: pin) } catch {
                throw UsageError("--pin \(pin): \(error)")
            }
        }
        return .policy(.pinPublicKeys(publicKeys: keys, validateCertificateChain: true, validateHost: true))
    }
}

/// The rule for a server: one policy, or a policy file's.
enum TrustRule {
    case policy(ServerTrustPolicy)
    case manager(ServerTrustPolicyManager)

    /// The policy that decides about the chain; nil for none.
    func policy(forHost host: String?) -> ServerTrustPolicy? {
        switch (self, host) {
        case (.policy(let policy), _): policy
        case (.manager(let manager), let host?): try? manager.requiredPolicy(forHost: host)
        case (.manager(let manager), nil):
            manager.allHostsMustBeEvaluated ? nil : .performDefaultEvaluation(validateHost: false)
        }
    }

    /// - Parameters:
    ///   - trust: the server.
    ///   - host: nil checks no name. A policy file then applies only its rule for unlisted hosts.
    ///   - other: must accept, too, if it is given; the result reports both.
    func evaluate(_ trust: ServerTrust, host: String?, and other: ServerTrustPolicy? = nil) -> ServerTrustResult {
        let result = evaluateOnce(trust, host: host, and: other)
        guard trust.isBetweenSeconds, result.isAccepted else { return result }
        // Lists and responses count in whole seconds: what begins within this second counts, too.
        var later = trust
        later.time &+= 1
        let last = evaluateOnce(later, host: host, and: other)
        return last.isAccepted ? result : last
    }

    private func evaluateOnce(_ trust: ServerTrust, host: String?, and other: ServerTrustPolicy?) -> ServerTrustResult {
        switch (self, host) {
        case (.policy(let policy), let host?): policy.and(other).evaluate(trust, host: host)
        case (.policy(let policy), nil): policy.and(other).evaluateChain(trust)
        case (.manager(let manager), let host?):
            (try? manager.requiredPolicy(forHost: host))?.and(other).evaluate(trust.with(manager), host: host)
                ?? manager.evaluate(trust, host: host)
        case (.manager(let manager), nil):
            manager.allHostsMustBeEvaluated
                ? manager.evaluate(trust, host: "")
                : ServerTrustPolicy.performDefaultEvaluation(validateHost: false).and(other)
                    .evaluateChain(trust.with(manager))
        }
    }
}

extension ServerTrustPolicy {
    /// This policy and `other`, if there is one.
    fileprivate func and(_ other: ServerTrustPolicy?) -> ServerTrustPolicy {
        other.map { .composite([self, $0]) } ?? self
    }
}

/// A server that is asked only for its certificates.
struct LiveServer {
    let url: URL
    let anchors: TrustAnchors
    let routes: RouteOptions

    /// For a chain that no server presents.
    static func check(_ routes: RouteOptions) throws {
        if routes != RouteOptions() { throw UsageError("options of proxies, names and connections need a URL") }
    }

    /// - Throws: a usage error, or exit code 1, after reporting why, if the server presents no certificate.
    func presented() async throws -> ServerTrust {
        let configuration = try Self.configuration(anchors, routes)
        do {
            return try await ServerTrust.presented(by: url, configuration: configuration)
        } catch {
            StandardStreams.tell("tern: \(error)")
            throw ExitCode(1)
        }
    }

    /// That of a session which would meet a server.
    static func configuration(_ anchors: TrustAnchors, _ routes: RouteOptions) throws -> SessionConfiguration {
        var configuration = SessionConfiguration.default
        configuration.tls.anchors = anchors
        try routes.apply(to: &configuration)
        return configuration
    }

    /// The host that a URL's certificates must be for: without the brackets that a URL puts around IPv6, and without a
    /// zone.
    static func host(of url: URL) -> String? {
        url.host.map { String($0.drop { $0 == "[" }.prefix { $0 != "%" && $0 != "]" }) }
    }
}

/// Certificates in a file that an option names: PEM, or one in DER.
enum CertificateFile {
    /// The anchors of `--anchors`; nil is the system's.
    static func anchors(_ path: String?) throws -> TrustAnchors {
        try path.map { TrustAnchors.only(try certificates($0, option: "--anchors")) } ?? .system
    }

    /// - Parameter option: the one that names the file; nil for an operand.
    /// - Throws: a usage error that names the option.
    static func certificates(_ path: String, option: String?) throws -> [X509Certificate] {
        let bytes = try TrustQuestion.contents(of: path, option)
        if let certificate = try? X509Certificate(der: [UInt8](bytes)) { return [certificate] }
        do {
            return try X509Certificate.all(inPEM: [UInt8](bytes))
        } catch {
            throw UsageError((option.map { $0 + ": " } ?? "") + "\(path): \(error)")
        }
    }
}
