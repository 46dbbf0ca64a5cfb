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
    /// ``TernTLS/ServerTrust/fetchingRevocation(for:)`` fetches it, and the answer can wait for that.
    public let serverTrust: ServerTrust

    init(_ pending: PendingVerdict, about origin: HTTPOrigin) {
        self.origin = origin
        verdict = pending.result
        serverTrust = pending.trust
    }
}
