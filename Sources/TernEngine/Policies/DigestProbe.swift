// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Sends a hop without its content first where only Digest may authenticate it, as curl does: the server answers the
/// first request with its challenge, so the content would be sent for nothing, and content that can be read once would
/// be lost.
struct DigestProbe: HopPolicy {
    let interests: HopInterests = [.preparation, .allHeads]

    /// Nil for a session that does not ask for it.
    init?(of configuration: SessionConfiguration) {
        if !configuration.probesForDigest { return nil }
    }

    func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation {
        guard let body = hop.request.body, body.announcedLength != 0, hop.request.credential?.schemes == .digest,
            hop.mayCarryCredentials, history.login == nil, history.resendCount == 0,
            !hop.request.headers.contains("Authorization")
        else { return .ready }
        var request = hop.request
        request.body = nil
        for name in ["Content-Length", "Transfer-Encoding", "Trailer", "Expect"] {
            request.headers.removeAll(named: name)
        }
        return .change(request)
    }

    /// A server that requests no password gets the content now.
    func decide(on head: ResponseHead, _ history: inout TaskHistory) -> HopDecision {
        let isProbe = history.hop.request.body == nil && history.request.body != nil
        return isProbe && head.status < 300 ? .resend(history.request) : .pass
    }
}
