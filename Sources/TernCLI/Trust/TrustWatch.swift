// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernTLS

/// `tern trust watch`: what will make servers be refused before long, for cron.
struct TrustWatchCommand: ToolCommand {
    static var table: OptionTable<Self> {
        OptionTable(
            .operand(
                "url", isRequired: false, repeats: true,
                help: "The https URLs of the servers, which are asked only for certificates."
            ) { $0.urls.append($1.text) },
            .value(
                "--expires-within", as: "days",
                help:
                    "Warn of certificates whose validity ends in as many days, such as 30 or 30d; by default 14, or a third of their time."
            ) { $0.days = try $1.read(Self.days(in:)) },
            .value(
                "--anchors", "--cacert", as: "file",
                help: "A PEM file with the only certificates to trust; without it, the system's."
            ) { $0.anchors = $1.text },
            .group(\.policy),
            .value(
                "--rehearse", as: "file",
                help: "A policy file that refuses nothing yet; tell which servers it would refuse, and how many of all."
            ) { $0.next = $1.text },
            .group(\.transparency),
            .group(\.revocation),
            .toggle(
                "--stapling", help: "Warn of servers that staple no OCSP response though a responder is named."
            ) { $0.expectsStaple = $1 },
            .group(\.distrusted),
            .group(\.completeness),
            .toggle("--json", help: "Print one JSON object for each finding, a line each.") { $0.isJSON = $1 },
            .group(\.routes))
    }

    static let name = "watch"
    static let abstract = "Say which servers will be refused before long, and why."
    static let discussion = """
        Asks each server for its certificates, sixteen at a time, and tells what it finds: a server that is refused or \
        cannot be reached, certificates that expire soon, the issuer's included, pins that are in no certificate, what \
        "tern trust check" finds in the pin set of the host, what the policy of --rehearse would refuse, a certificate \
        that requires a stapled OCSP response where the server sends none, with --check-revocation one that is revoked, \
        and, with --fetch-issuers, intermediates \
        that a server does not send.

        Exits 0 if there is nothing to tell, 1 if there is, 2 for wrong usage.
        """

    private static let atOnce = 16

    var urls: [String] = []
    var days: Int?
    var anchors: String?
    var policy = PolicyOptions()
    var next: String?
    var transparency = TransparencyOptions()
    var revocation = RevocationOptions()
    var expectsStaple = false
    var distrusted = DistrustedOptions()
    var completeness = CompletenessOptions()
    var isJSON = false
    var routes = RouteOptions()

    private static func days(in text: String) -> Int? {
        guard let days = Int(text.hasSuffix("d") ? String(text.dropLast()) : text), (0...100_000).contains(days),
            text.first?.isNumber == true
        else { return nil }
        return days
    }

    func validate() throws {
        if urls.isEmpty { throw UsageError("give the https URL of a server, or several") }
        for url in urls { _ = try RequestedURL(secure: url) }
    }

    func run() async throws {
        let policies = try policy.policy { UsageError($0) }?.manager() ?? ServerTrustPolicyManager(policies: [:])
        let rehearsal = try next.map {
            TrustRehearsal(
                of: try PolicyOptions.read($0, "--rehearse", { UsageError($0) }).manager(), enforcing: policies)
        }
        var configuration = try LiveServer.configuration(CertificateFile.anchors(anchors), routes)
        completeness.apply(to: &configuration.tls)
        configuration.tls.transparencyLogs = try transparency.logs()
        configuration.tls.distrustedCertificates = try distrusted.certificates()
        let watch = TrustWatch(
            configuration: configuration, policies: policies, rehearsal: rehearsal,
            // A list that is too old to tell is told.
            transparency: transparency.policy(mode: .reportOnly, requiresFreshList: true),
            revocation: revocation.policy,
            expectsStaple: expectsStaple, seconds: days.map { Int64($0) * 86400 })
        var findings = [[TrustWatch.Finding]](repeating: [], count: urls.count)
        await withTaskGroup(of: (Int, [TrustWatch.Finding]).self) { group in
            var rest = urls.enumerated().makeIterator()
            func addNext() {
                guard let (place, url) = rest.next() else { return }
                group.addTask { (place, await watch.findings(of: url)) }
            }
            for _ in 0..<Self.atOnce { addNext() }
            while let (place, found) = await group.next() {
                findings[place] = found
                addNext()
            }
        }
        let all = findings.flatMap(\.self)
        for finding in all {
            let text = isJSON ? try JSONReport.text(finding) : "\(finding.url): \(finding.rule): \(finding.message)"
            try StandardStreams.print(text)
        }
        if let rehearsal { StandardStreams.tell("tern: \(rehearsal.report)") }
        if !all.isEmpty { throw ExitCode(1) }
    }
}

/// Looks at one server after the other.
private struct TrustWatch: Sendable {
    struct Finding: Encodable, Sendable {
        let url: String
        let rule: String
        let message: String
        /// RFC 3339.
        var expires: String?
    }

    let configuration: SessionConfiguration
    let policies: ServerTrustPolicyManager
    /// What is evaluated beside them, if anything is.
    let rehearsal: TrustRehearsal?
    /// Only reports. Evaluated by itself, so that a report about pins does not hide its own.
    let transparency: ServerTrustPolicy?
    /// What is asked of responders and lists, if anything is.
    let revocation: ServerTrustPolicy?
    let expectsStaple: Bool
    /// How long before its end a certificate's validity is told; nil for the usual time.
    let seconds: Int64?

    func findings(of text: String) async -> [Finding] {
        var trust: ServerTrust
        let host: String
        var port: UInt16 = 443
        do {
            let url = try RequestedURL(secure: text).url
            host = LiveServer.host(of: url) ?? ""
            port = url.port.flatMap { UInt16(exactly: $0) } ?? port
            trust = try await ServerTrust.presented(by: url, configuration: configuration)
        } catch {
            return [Finding(url: text, rule: "unreachable", message: "\(error)")]
        }
        if configuration.tls.fetchesMissingIssuers, let policy = try? policies.requiredPolicy(forHost: host) {
            trust = await trust.fetchingIssuers(for: policy, configuration: configuration)
        }
        trust.distrustedCertificates = configuration.tls.distrustedCertificates
        trust.enforcesMustStaple = configuration.tls.enforcesMustStaple
        trust.transparencyLogs = configuration.tls.transparencyLogs
        let revocation = revocation ?? (try? policies.requiredPolicy(forHost: host))
        if let revocation {
            trust = await trust.fetchingRevocation(for: revocation, configuration: configuration)
        }
        let result = (rehearsal ?? policies).evaluate(trust, host: host)
        rehearsal?.record(result, port: port)
        if let failure = result.failure {
            return [Finding(url: text, rule: result.rule, message: "refused: \(failure)")]
        }
        if let failure = self.revocation?.evaluate(trust.with(policies), host: host).failure {
            return [Finding(url: text, rule: failure.rule, message: "revocation: \(failure)")]
        }
        let pinSet = policies.serverTrustPolicy(forHost: host)?.pinSets.first
        var warnings = result.warnings(within: seconds, pinSet: pinSet)
        warnings += transparency?.evaluate(trust.with(policies), host: host).waivedFailures.map { .waived($0) } ?? []
        warnings += trust.stapleWarning(expectsStaple: expectsStaple, of: result.verifiedChain).map { [$0] } ?? []
        return warnings.map { warning in
            var finding = Finding(url: text, rule: warning.rule, message: "\(warning)")
            if case .expiresSoon(_, _, let time) = warning { finding.expires = JSONReport.time(time) }
            return finding
        }
    }
}
