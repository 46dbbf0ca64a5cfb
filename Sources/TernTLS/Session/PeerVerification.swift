// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// Which peer a session expects, and the result: in a full handshake of the evaluation, in a resumed one the verdict
/// that came with the session.
///
/// Not `Sendable`: it belongs to its session and is used on the session's thread, inside the handshake.
final class PeerVerification {
    private let policy: ServerTrustPolicy
    /// Whether the session's user answers every verdict before it counts.
    private let asksUser: Bool
    private var isAnswered = false
    private var verdict: PendingVerdict?
    private var evaluation: PolicyEvaluation
    private var asked: Set<RevocationQuestion> = []
    private var hasCertificates = false
    /// What has to be found out elsewhere before there is a result.
    private(set) var pending: PendingEvaluation?
    private(set) var result: ServerTrustResult?
    /// What sessions of this connection are kept with; nil until the server is accepted for good.
    private(set) var evidence: TrustEvidence?

    init(host: String, policy: ServerTrustPolicy, anchors: TrustAnchors, profile: TrustProfile, asksUser: Bool) {
        self.asksUser = asksUser
        self.policy = policy
        // The time is set when there is something to judge.
        evaluation = PolicyEvaluation(
            trust: ServerTrust(sentChain: [], anchors: anchors, time: 0, profile: profile), host: host)
    }

    var host: String { evaluation.host ?? "" }

    /// Whether the server is to be asked for a stapled response.
    var wantsStaple: Bool { policy.asksForRevocation }

    /// The certificate verify callback: 1 goes on, 0 sends the alert that belongs to the store context's error. Called
    /// again with every attempt to go on while there is something pending.
    @unsafe func verify(_ store: OpaquePointer, of ssl: OpaquePointer) -> Int32 {
        if !hasCertificates {
            hasCertificates = true
            evaluation.trust.sentChain = unsafe X509Certificate.copies(of: X509_STORE_CTX_get0_untrusted(store))
            evaluation.trust.time = Timestamp.now
            unsafe takeStaple(of: ssl)
            judge()
        }
        if pending != nil {
            unsafe X509_STORE_CTX_set_error(store, X509_V_OK)
            return unsafe tern_SSL_set_retry_verify(ssl) == 1 ? 1 : 0
        }
        // In TLS 1.3 the staple comes with the certificate, in TLS 1.2 after it, but before we say anything.
        let isComplete = unsafe !wantsStaple || SSL_version(ssl) >= TLS1_3_VERSION
        let mayFollow = isAboutRevocation || [.missingStaple, .customEvaluation].contains(result?.failure?.reason)
        let refusal = isOpen || !isComplete && mayFollow ? nil : result?.failure
        // Without the staple that is to come, only a refusal is final.
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

    /// The certificate status callback, called when all that the server has to say has arrived: 1 goes on, 0 sends the
    /// alert `bad_certificate_status_response`.
    @unsafe func verifyStaple(of ssl: OpaquePointer) -> Int32 {
        if isAnswered { return result?.isAccepted == true ? 1 : 0 }
        if unsafe takeStaple(of: ssl) { judge() }
        return asksUser || pending != nil || isOpen || result?.isAccepted == true ? 1 : 0
    }

    /// The client certificate callback, called before our certificate is sent: 1 goes on, 0 refuses, -1 waits. In TLS
    /// 1.2 the staple has arrived by then.
    @unsafe func verifyBeforeIdentity(of ssl: OpaquePointer) -> Int32 {
        guard asksUser else { return 1 }
        if isAnswered { return result?.isAccepted == true ? 1 : 0 }
        if unsafe takeStaple(of: ssl) { judge() }
        return -1
    }

    /// What keeps the handshake from going on; nil if nothing does.
    var obstacle: HandshakeProgress? {
        if let pending { return .needEvaluation(pending) }
        let questions = questions
        if !questions.isEmpty { return .needRevocation(questions) }
        return undecided.map { .needDisposition($0) }
    }

    /// The verdict the session's user has to answer.
    private var undecided: PendingVerdict? {
        guard asksUser, !isAnswered, let result else { return nil }
        if let verdict, verdict.result === result { return verdict }
        var trust = evaluation.trust
        trust.revocation = gathered
        let verdict = PendingVerdict(result, about: trust)
        self.verdict = verdict
        return verdict
    }

    /// What the verdict was reached by, and what was asked for it.
    private var gathered: RevocationData {
        var gathered = evaluation.trust.revocation
        gathered.askedQuestions = asked
        return gathered
    }

    /// The answer to `needDisposition`; the first one counts.
    func answer(_ disposition: ServerTrustAnswer) {
        guard case .needDisposition(let pending)? = obstacle else { return }
        let result = pending.result
        isAnswered = true
        verdict = nil
        let answered = result.answered(disposition)
        if answered === result { return }
        self.result = answered
        // No other connection rests on what a delegate decided for this one.
        evidence = nil
    }

    /// What should be asked before the verdict is final: one question for each certificate nothing is known about.
    var questions: [RevocationQuestion] {
        // Most policies do not ask: nothing is compared and nothing collected for them.
        guard !isAnswered, let result, !result.revocation.isEmpty, result.isAccepted || isAboutRevocation else {
            return []
        }
        let open = result.revocation.compactMap { finding in finding.questions.first { !asked.contains($0) } }
        return Array(Set(open))
    }

    func answer(_ answers: [RevocationQuestion: RevocationAnswer]) {
        var revocation = evaluation.trust.revocation
        for (question, answer) in answers {
            asked.insert(question)
            revocation.take(answer)
        }
        evaluation.take(revocation)
        judge()
    }

    /// What was found out elsewhere.
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
        evaluation.trust.time = Timestamp.now
        evaluation.trust.revocation = evidence.revocation ?? evaluation.trust.revocation
        asked.formUnion(evidence.revocation?.askedQuestions ?? [])
    }

    /// Asks once more, about the certificates of the time, where a verdict depends on more than the time.
    func reaffirms(_ result: ServerTrustResult) -> Bool {
        guard policy.identity.isReevaluated else { return true }
        var anew = evaluation
        anew.trust.sentChain = result.sentChain
        anew.trust.time = Timestamp.now
        // What cannot be reaffirmed at once is left to a handshake with certificates.
        return anew.attempt(policy)?.isAccepted ?? false
    }

    private func judge() {
        result = evaluation.attempt(policy)
        pending = result == nil ? PendingEvaluation(evaluation, of: policy) : nil
        evidence = result.flatMap {
            TrustEvidence($0, at: evaluation.trust.time, revocation: asksUser ? gathered : nil)
        }
        // The evaluation leaves the queue as it found it: a refusal is told by the result, not by leftovers.
        OpenSSLError.clear()
    }

    /// The refusal, if it is final.
    var refusal: TrustFailure? { isOpen ? nil : result?.failure }

    /// A refusal that an answer may still avert.
    private var isOpen: Bool { isAboutRevocation && !questions.isEmpty }

    private var isAboutRevocation: Bool {
        [.unknownToResponder, .revocationUndetermined].contains(result?.failure?.reason)
    }

    /// Whether there is a staple that was not there before.
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
