// SPDX-License-Identifier: Apache-2.0

/// Whether a request whose connection was lost is repeated transparently.
///
/// A kept-alive connection that dies before the first byte of a response was most likely closed by the server before
/// the request arrived (RFC 9112 §9.3.1). That is certain only if no byte had been sent; otherwise the request may have
/// been processed, and is repeated only if that is safe.
struct RepeatRule: Sendable, Hashable {
    /// The session's switch. Off, no request is repeated transparently; it does not affect what callers may retry.
    var isEnabled = true

    /// The facts about a request without a response, or with a partial one.
    struct Evidence: Sendable, Hashable {
        var method: String
        /// The request has an `Idempotency-Key` field: the server recognises a repeat by it.
        var hasIdempotencyKey = false
        var policy = RepeatPolicy.automatic
        /// The content can be sent from its beginning: there is none, it can be read again, or it has not been read.
        var isContentReplayable = true
        /// The connection had carried another exchange before.
        var wasConnectionReused: Bool
        /// A byte of the request may have reached the server.
        var wasSent: Bool
        /// A byte of a response had arrived, including an informational one's.
        var wasAnswered: Bool
        /// This is the repeat.
        var wasRepeated: Bool
    }

    /// Once, and only if a kept-alive connection explains the loss: a server that closes new connections, or closes in
    /// the middle of a response, does so again.
    func repeats(_ evidence: Evidence) -> Bool {
        guard isEnabled, evidence.policy != .never else { return false }
        guard evidence.wasConnectionReused, !evidence.wasAnswered, !evidence.wasRepeated else { return false }
        return evidence.isContentReplayable && Self.isSafeToRepeat(evidence)
    }

    /// Returns whether the caller may send the same request again without a second effect; an error reports it.
    static func isSafeToRepeat(_ evidence: Evidence) -> Bool {
        if !evidence.wasSent { return true }
        return switch evidence.policy {
        case .always: true
        case .never: false
        case .automatic: evidence.hasIdempotencyKey || isIdempotent(evidence.method)
        }
    }

    /// RFC 9110 §9.2.2. Methods are case-sensitive (§9.1), and an unknown method is not known to be idempotent.
    private static func isIdempotent(_ method: String) -> Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE": true
        default: false
        }
    }
}
