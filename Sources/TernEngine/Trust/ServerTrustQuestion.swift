// SPDX-License-Identifier: Apache-2.0
public import TernTLS

/// A ``ServerTrustChallenge`` to be answered. Answer it once: in the call that asks, or later, from any thread.
///
/// Until then the handshake waits, up to ``SessionConfiguration/challengeTimeout``, and the limit on connecting stands
/// still. Further answers, and one that comes when the task is over, change nothing.
public struct ServerTrustQuestion: Sendable {
    private let reply: @Sendable (ServerTrustAnswer) -> Void

    init(_ reply: @escaping @Sendable (ServerTrustAnswer) -> Void) { self.reply = reply }

    /// Gives the answer.
    public func answer(_ disposition: ServerTrustAnswer) { reply(disposition) }
}
