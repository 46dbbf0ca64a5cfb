// SPDX-License-Identifier: Apache-2.0
public import TernHTTP1
public import TernTLS

/// The verdict of the session's policies about a server, shown to a delegate before it takes effect.
public struct ServerTrustChallenge: Sendable {
    /// The server.
    public let origin: HTTPOrigin
    /// The verdict, with its reasons. On a resumed TLS session, which has no certificates, the verdict under which the
    /// session was established.
    public let verdict: ServerTrustResult
    /// The input of the verdict: the certificates, and the revocation data that the handshake gathered for the
    /// session's policy.
    ///
    /// A further policy may evaluate it. One that needs revocation data the handshake did not ask for refuses the
    /// server with ``TernTLS/TrustFailure/Reason/revocationNotAsked``: an evaluation fetches nothing.
    /// ``TernTLS/ServerTrust/fetchingRevocation(for:egressPolicy:)`` fetches it, and the answer can wait for that.
    public let serverTrust: ServerTrust

    init(_ pending: PendingVerdict, about origin: HTTPOrigin) {
        self.origin = origin
        verdict = pending.result
        serverTrust = pending.trust
    }
}

/// A question with a ``ServerTrustChallenge``. Answer it once: within the call, or later, from any thread.
///
/// Until then the handshake waits, up to ``SessionConfiguration/challengeTimeout``, and the connect timeout is paused.
/// Further answers, and one after the end of the task, have no effect.
public struct ServerTrustQuestion: Sendable {
    private let reply: @Sendable (ServerTrustAnswer) -> Void

    init(_ reply: @escaping @Sendable (ServerTrustAnswer) -> Void) { self.reply = reply }

    /// Gives the answer.
    public func answer(_ disposition: ServerTrustAnswer) { reply(disposition) }
}

/// Answers server trust challenges: a session, or a task, on behalf of its delegate. On a reactor's thread.
protocol TrustRespondent: AnyObject {
    /// Whether its delegate wants to be asked.
    var answersServerTrust: Bool { get }

    func answer(_ challenge: ServerTrustChallenge, _ question: ServerTrustQuestion)
}
