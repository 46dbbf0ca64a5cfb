// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernLock
public import TernTLS

extension ServerTrust {
    /// Gets the certificates of a server: performs the handshake as far as the certificates, and ends the connection
    /// before a request. Nothing is verified; the caller evaluates the result. A stapled response of the server is in
    /// its revocation data, and timestamps of its handshake are in ``TernTLS/ServerTrust/handshakeTimestamps``.
    ///
    /// - Parameters:
    ///   - url: an https URL; only its host and port matter.
    ///   - configuration: the settings for connecting. Its anchors, or those of its files, become the trust's. Its secrets,
    ///     its storages and its limits do not go along.
    /// - Throws: the error that prevented the server from presenting certificates.
    public static func presented(
        by url: URL, configuration: SessionConfiguration = .default
    ) async throws(SessionError) -> ServerTrust {
        guard url.scheme?.lowercased() == "https" else {
            throw SessionError(.request(.invalid(.unsupportedScheme(url.scheme ?? ""))), phase: .request)
        }
        let presented = Presented()
        let refusal = ServerTrustPolicy.composite([
            .customEvaluation { trust, _ in
                presented.trust.withLock { $0 = trust }
                return false
            },
            // Never evaluated, but makes the handshake request a staple and timestamps.
            .certificateTransparency(.chrome(TransparencyLogList(logs: [], time: nil))),
        ])
        let policyOfFiles = configuration.trustFiles?.current.material.applied(to: configuration.tls).policy
        let configuration = configuration.withTrustOfFiles
        // Whatever form the host has, it is the only one this session connects to. A proxy is trusted as usual.
        let session = Session(
            configuration: configuration.forHandshakes, delegate: nil,
            serverTrustPolicyManager: OnePolicy(policy: refusal), firstPolicies: [],
            proxyTrust: ProxyTrust(of: configuration, policies: policyOfFiles?.manager(onPinFailure: nil)))
        do throws(SessionError) {
            _ = try await session.data(for: URLRequest(url: url))
        } catch {
            guard let trust = presented.trust.withLock({ $0 }) else { throw error }
            return trust
        }
        throw SessionError(.connecting(.insecure(TLSError(.noPeerCertificate))), phase: .tls)
    }
}

private final class Presented: Sendable {
    let trust = Lock<ServerTrust?>(nil)
}

/// One policy for every host.
private final class OnePolicy: ServerTrustPolicyManager, @unchecked Sendable {
    // Immutable, as the superclass requires.
    private let policy: ServerTrustPolicy

    init(policy: ServerTrustPolicy) {
        self.policy = policy
        super.init(policies: [:])
    }

    override func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? { policy }
}

extension ServerTrust {
    /// Asks the responders, and fetches the lists, that `policy` would make a session ask about this server, whatever
    /// the host. Takes at most five seconds for each round of questions; the number of rounds is that of the URLs in a
    /// certificate.
    ///
    /// - Parameters:
    ///   - policy: the policy that asks.
    ///   - egressPolicy: where the requests may lead; nil for everywhere. The certificate names their URLs.
    /// - Returns: the same trust with the answers, which an evaluation has yet to verify.
    public func fetchingRevocation(
        for policy: ServerTrustPolicy, egressPolicy: EgressPolicy? = nil
    ) async -> ServerTrust {
        var configuration = SessionConfiguration()
        configuration.egressPolicy = egressPolicy
        return await fetchingRevocation(for: policy, configuration: configuration)
    }

    /// The same, asked as a session with this configuration asks: through its proxies, with its resolver and its egress
    /// policy, from its addresses, and without its secrets.
    ///
    /// - Parameters:
    ///   - policy: the policy that asks.
    ///   - configuration: that of the session which would meet the server.
    public func fetchingRevocation(
        for policy: ServerTrustPolicy, configuration: SessionConfiguration
    ) async -> ServerTrust {
        let fetcher = RevocationFetcher(requestSender: SideSession.forRevocation(configuration.withTrustOfFiles))
        var trust = self
        var asked: Set<RevocationQuestion> = []
        while true {
            let findings = policy.evaluateChain(trust).revocation
            let open = Set(findings.compactMap { finding in finding.questions.first { !asked.contains($0) } })
            if open.isEmpty { return trust }
            asked.formUnion(open)
            for answer in await Self.answers(to: open, of: fetcher) { trust.revocation.take(answer) }
        }
    }

    /// Fetches the issuers that the server did not send, and without which `policy` refuses it, whatever the host: as a
    /// session with this configuration fetches them if ``TernTLS/TLSSettings/fetchesMissingIssuers`` is set, which need
    /// not be set here. Takes at most five seconds for each of at most four requests.
    ///
    /// - Parameters:
    ///   - policy: the policy that refuses the server.
    ///   - configuration: that of the session which would meet the server.
    /// - Returns: the same trust with ``TernTLS/ServerTrust/fetchedIssuers``, which an evaluation has yet to verify.
    public func fetchingIssuers(
        for policy: ServerTrustPolicy, configuration: SessionConfiguration
    ) async -> ServerTrust {
        let fetcher = RevocationFetcher(requestSender: SideSession.forRevocation(configuration.withTrustOfFiles))
        var trust = self
        var search = IssuerSearch()
        while true {
            let result = policy.evaluateChain(trust)
            guard let question = search.question(about: result) else { return trust }
            for answer in await Self.answers(to: [question], of: fetcher) {
                trust.fetchedIssuers += search.take(answer, to: question, about: result)
            }
        }
    }

    private static func answers(
        to questions: Set<RevocationQuestion>, of fetcher: RevocationFetcher
    ) async -> [RevocationAnswer] {
        await withTaskGroup(of: RevocationAnswer.self) { group in
            for question in questions {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        fetcher.ask(question) { continuation.resume(returning: $0) }
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}
