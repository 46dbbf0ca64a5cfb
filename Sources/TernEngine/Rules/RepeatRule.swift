// SPDX-License-Identifier: Apache-2.0

/// Whether a request whose connection was lost is sent once more, unasked.
///
/// A kept-alive connection that dies before the first byte of a response was most likely closed by the server before
/// our request arrived (RFC 9112 §9.3.1). That much is certain only if not one byte had left; else the request may have
/// been carried out, and is repeated where that does no harm.
struct RepeatRule: Sendable, Hashable {
    /// The session's switch. Off, nothing is repeated unasked; what callers may repeat themselves stays the same.
    var isEnabled = true

    /// What is known of a request that got no response, or half of one.
    struct Evidence: Sendable, Hashable {
        var method: String
        /// The request has an `Idempotency-Key` field: the server tells a repeat by it.
        var hasIdempotencyKey = false
        var policy = RepeatPolicy.automatic
        /// The content can be sent from its beginning: there is none, it can be read again, or it has not been read.
        var isContentReplayable = true
        /// The connection had carried another exchange before.
        var wasConnectionReused: Bool
        /// A byte of the request may have reached the server.
        var wasSent: Bool
        /// A byte of a response had come, an interim one's included.
        var wasAnswered: Bool
        /// This is the repeat.
        var wasRepeated: Bool
    }

    /// Once, and only where a kept-alive connection explains the loss: a server that closes new connections, or closes
    /// in the middle of a response, does so again.
    func repeats(_ evidence: Evidence) -> Bool {
        guard isEnabled, evidence.policy != .never else { return false }
        guard evidence.wasConnectionReused, !evidence.wasAnswered, !evidence.wasRepeated else { return false }
        return evidence.isContentReplayable && Self.isSafeToRepeat(evidence)
    }

    /// Returns whether the caller may send the same request again without doing something twice; an error says so.
    static func isSafeToRepeat(_ evidence: Evidence) -> Bool {
        if !evidence.wasSent { return true }
        return switch evidence.policy {
        case .always: true
        case .never: false
        case .automatic: evidence.hasIdempotencyKey || isIdempotent(evidence.method)
        }
    }

    /// RFC 9110 §9.2.2. Methods are case-sensitive (§9.1), and of a method we do not know we know nothing.
    private static func isIdempotent(_ method: String) -> Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE": true
        default: false
        }
    }
}
