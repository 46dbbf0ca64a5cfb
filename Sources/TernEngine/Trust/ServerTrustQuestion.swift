// SPDX-License-Identifier: Apache-2.0
public import TernTLS

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
