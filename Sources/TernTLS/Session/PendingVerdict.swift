// SPDX-License-Identifier: Apache-2.0

/// The final verdict of a policy about a server, which waits for the answer of the session's user.
public final class PendingVerdict: Sendable {
    /// The verdict, with its reasons.
    public let result: ServerTrustResult
    /// The input of the verdict, with the revocation data that the handshake gathered. Its
    /// ``RevocationData/askedQuestions`` are set: a further policy that needs more answers than those refuses the
    /// server.
    public let trust: ServerTrust

    init(_ result: ServerTrustResult, about trust: ServerTrust) {
        self.result = result
        self.trust = trust
    }
}

extension PendingVerdict: Hashable {
    public static func == (left: PendingVerdict, right: PendingVerdict) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
