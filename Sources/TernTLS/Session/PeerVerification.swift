// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// The peer that a session expects, and the result: from the evaluation in a full handshake, from the stored verdict in
/// a resumed one.
///
/// Not `Sendable`: it belongs to its session and is used on the session's thread, inside the handshake.
final class PeerVerification {
    private let policy: ServerTrustPolicy
    /// Whether the session's user answers every verdict before it takes effect.
    private let asksUser: Bool
    private var isAnswered = false
    private var verdict: PendingVerdict?
    private var evaluation: PolicyEvaluation
    private var asked: Set<RevocationQuestion> = []
    /// Nil if issuers that the server does not send are not fetched.
    private var issuerSearch: IssuerSearch?
    private var hasCertificates = false
    /// The work or data outside the handshake that the result waits for.
    private(set) var pending: PendingEvaluation?
    private(set) var result: ServerTrustResult?
    /// The evidence that sessions of this connection are kept with; nil until the server is finally accepted.
    private(set) var evidence: TrustEvidence?

    init(
        host: String, policy: ServerTrustPolicy, rules: ChainRules, settings: TLSSettings, asksUser: Bool
    ) {
        self.asksUser = asksUser
        self.policy = policy
        // The time is set when the evaluation starts.
        evaluation = PolicyEvaluation(
            trust: ServerTrust(
                sentChain: [], anchors: settings.anchors, time: 0, profile: rules.profile,
                maximumPathDepth: rules.maximumIntermediates), host: host)
        evaluation.trust.revocation.lists = settings.revocationLists
        evaluation.trust.distrustedCertificates = settings.distrustedCertificates
        evaluation.trust.transparencyLogs = settings.transparencyLogs
        evaluation.trust.spiffeBundles = settings.spiffeBundles
        evaluation.trust.enforcesMustStaple = settings.enforcesMustStaple
        if policy.fetchesMissingIssuers ?? settings.fetchesMissingIssuers { issuerSearch = IssuerSearch() }
    }

    var host: String { evaluation.host ?? "" }

    /// Whether to request a stapled response from the server.
    var wantsStaple: Bool { policy.asksForStaple || evaluation.trust.enforcesMustStaple }

    /// Whether to request timestamps of logs from the server. If so, a staple is wanted, too: it may have some.
    var wantsTimestamps: Bool { policy.asksForTimestamps }

    /// The certificate verify callback: 1 continues, 0 sends the alert for the store context's error. Called again with
    /// every attempt to continue while something is pending.
    @unsafe func verify(_ store: OpaquePointer, of ssl: OpaquePointer) -> Int32 {
        if !hasCertificates {
            hasCertificates = true
            evaluation.trust.sentChain = unsafe X509Certificate.copies(of: X509_STORE_CTX_get0_untrusted(store))
            evaluation.trust.setNow()
            evaluation.trust.protocolVersion = unsafe SSL_version(ssl) >= TLS1_3_VERSION ? .v1_3 : .v1_2
            unsafe takeStaple(of: ssl)
            if wantsTimestamps { unsafe takeTimestamps(of: ssl) }
            judge()
        }
        // A missing issuer is waited for at once: the server is not known, and must not get a client certificate.
        if pending != nil || issuerQuestion != nil {
            unsafe X509_STORE_CTX_set_error(store, X509_V_OK)
            return unsafe tern_SSL_set_retry_verify(ssl) == 1 ? 1 : 0
        }
        // In TLS 1.3 the staple arrives with the certificate, in TLS 1.2 after it, but before the client's next flight.
        let isComplete = unsafe !wantsStaple || SSL_version(ssl) >= TLS1_3_VERSION
        let refusal = isOpen || !isComplete && mayStapleAvert ? nil : result?.failure
        // Until the expected staple has arrived, only a refusal is final.
        if asksUser, !isAnswered, isComplete || refusal != nil {
            unsafe X509_STORE_CTX_set_error(store, X509_V_OK)
            return unsafe tern_SSL_set_retry_verify(ssl) == 1 ? 1 : 0
        }
        guard let failure = refusal else {
            unsafe X509_STORE_CTX_set_error(store, X509_V_OK)
            return 1
        }
        unsafe X509_STORE_CTX_set_error(
            store, failure.verifyCode == X509_V_OK ? X509_V_ERR_APPLICATION_VERIFICATION : failure.verifyCode)
        return 0
    }

    /// The certificate status callback, called when the server's flight is complete: 1 continues, 0 sends the alert
    /// `bad_certificate_status_response`.
    @unsafe func verifyStaple(of ssl: OpaquePointer) -> Int32 {
        if isAnswered { return result?.isAccepted == true ? 1 : 0 }
        if unsafe takeStaple(of: ssl) { judge() }
        return asksUser || pending != nil || isOpen || result?.isAccepted == true ? 1 : 0
    }

    /// The client certificate callback, called before the client certificate is sent: 1 continues, 0 refuses, -1 waits.
    /// In TLS 1.2 the staple has arrived by then. What a responder or a list says comes first, too: a revoked server gets no
    /// certificate.
    @unsafe func verifyBeforeIdentity(of ssl: OpaquePointer) -> Int32 {
        if isAnswered { return result?.isAccepted == true ? 1 : 0 }
        if unsafe takeStaple(of: ssl) { judge() }
        if asksUser || pending != nil || !questions.isEmpty { return -1 }
        return result?.failure == nil ? 1 : 0
    }

    /// The reason why the handshake must wait; nil if there is none.
    var obstacle: HandshakeProgress? {
        if let pending { return .needEvaluation(pending) }
        let questions = questions
        if !questions.isEmpty { return .needRevocation(questions) }
        return undecided.map { .needDisposition($0) }
    }

    /// The verdict that the session's user must answer.
    private var undecided: PendingVerdict? {
        guard asksUser, !isAnswered, let result else { return nil }
        if let verdict, verdict.result === result { return verdict }
        var trust = evaluation.trust
        trust.revocation = gathered
        let verdict = PendingVerdict(result, about: trust)
        self.verdict = verdict
        return verdict
    }

    /// The input of the verdict, and the questions asked for it.
    private var gathered: RevocationData {
        var gathered = evaluation.trust.revocation
        gathered.askedQuestions = asked
        return gathered
    }

    /// Answers `needDisposition`; the first answer counts.
    func answer(_ disposition: ServerTrustAnswer) {
        guard case .needDisposition(let pending)? = obstacle else { return }
        let result = pending.result
        isAnswered = true
        verdict = nil
        let answered = result.answered(disposition)
        if answered === result { return }
        self.result = answered
        // A delegate's decision about this connection must not affect others.
        evidence = nil
    }

    /// The questions before the verdict is final: the place of a missing issuer, or one for each certificate with an
    /// unknown status.
    var questions: [RevocationQuestion] {
        if let issuerQuestion { return [issuerQuestion] }
        // Most policies have no questions: nothing is compared or collected for them.
        guard !isAnswered, let result, !result.revocation.isEmpty, result.isAccepted || isAboutRevocation else {
            return []
        }
        let open = result.revocation.compactMap { finding in finding.questions.first { !asked.contains($0) } }
        return Array(Set(open))
    }

    private var issuerQuestion: RevocationQuestion? {
        guard let issuerSearch, !isAnswered, let result else { return nil }
        return issuerSearch.question(about: result)
    }

    func answer(_ answers: [RevocationQuestion: RevocationAnswer]) {
        var revocation = evaluation.trust.revocation
        for (question, answer) in answers {
            asked.insert(question)
            if case .issuer = question, let result {
                evaluation.take(issuerSearch?.take(answer, to: question, about: result) ?? [])
            } else {
                revocation.take(answer)
            }
        }
        evaluation.take(revocation)
        judge()
    }

    /// Adds answers from outside.
    func take(_ completed: CompletedEvaluation) {
        guard pending === completed.pending else { return }
        pending = nil
        evaluation = completed.evaluation
        judge()
    }

    /// Takes over the verdict of a resumed session.
    func resume(_ evidence: TrustEvidence) {
        self.evidence = evidence
        result = evidence.result
        for finding in evidence.result.revocation { asked.formUnion(finding.questions) }
        guard asksUser else { return }
        evaluation.trust.sentChain = evidence.result.sentChain
        evaluation.trust.fetchedIssuers = evidence.result.fetched
        evaluation.trust.setNow()
        evaluation.trust.revocation = evidence.revocation ?? evaluation.trust.revocation
        asked.formUnion(evidence.revocation?.askedQuestions ?? [])
    }

    /// Evaluates the stored certificates again if the verdict depends on more than the time.
    func reaffirms(_ result: ServerTrustResult) -> Bool {
        guard policy.isReevaluated else { return true }
        var renewed = evaluation
        renewed.trust.sentChain = result.sentChain
        renewed.trust.fetchedIssuers = result.fetched
        // The evidence ends with the staple, which is not here.
        renewed.trust.enforcesMustStaple = false
        renewed.trust.setNow()
        // A verdict that cannot be confirmed at once needs a handshake with certificates.
        return renewed.attempt(policy)?.isAccepted ?? false
    }

    private func judge() {
        result = evaluation.attempt(policy)
        pending = result == nil ? PendingEvaluation(evaluation, of: policy) : nil
        evidence = result.flatMap {
            TrustEvidence($0, at: evaluation.trust.time, revocation: asksUser ? gathered : nil)
        }
        // The evaluation restores the OpenSSL error queue: the result carries a refusal, not the queue.
        OpenSSLError.clear()
    }

    /// The refusal, if it is final.
    var refusal: TrustFailure? { isOpen ? nil : result?.failure }

    /// A refusal that an answer may still avert.
    private var isOpen: Bool { isAboutRevocation && !questions.isEmpty }

    /// Whether the server is refused, and a staple may change that.
    private var mayStapleAvert: Bool {
        switch result?.failure?.reason {
        case .missingStaple, .customEvaluation, .certificateTransparency: true
        default: isAboutRevocation
        }
    }

    private var isAboutRevocation: Bool {
        [.unknownToResponder, .revocationUndetermined].contains(result?.failure?.reason)
    }

    /// OpenSSL has read them, and writes each again. Of a list that it cannot read there is none.
    @unsafe private func takeTimestamps(of ssl: OpaquePointer) {
        let stack = unsafe SSL_get0_peer_scts(ssl)
        let count = min(Int32(TransparencyVerdict.maximumTimestamps), max(0, unsafe tern_SCT_stack_count(stack)))
        evaluation.trust.handshakeTimestamps = (0..<count).compactMap { index in
            guard let timestamp = unsafe tern_SCT_stack_at(stack, index),
                unsafe SCT_get_source(timestamp) == SCT_SOURCE_TLS_EXTENSION
            else { return nil }
            return unsafe X509Reference.encode { target in unsafe i2o_SCT(timestamp, target) }
        }
        OpenSSLError.clear()
    }

    /// Whether a staple has arrived since.
    @discardableResult
    @unsafe private func takeStaple(of ssl: OpaquePointer) -> Bool {
        var bytes: UnsafePointer<UInt8>?
        let count = unsafe tern_SSL_get_stapled_response(ssl, &bytes)
        guard count > 0, let bytes = unsafe bytes, evaluation.trust.revocation.stapledResponse == nil else {
            return false
        }
        var revocation = evaluation.trust.revocation
        revocation.stapledResponse = OCSPResponse(der: unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
        evaluation.take(revocation)
        return true
    }
}
