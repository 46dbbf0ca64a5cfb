// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// One connection's dealings with the sessions of its server.
struct Resumption {
    private let cache: SessionCache
    private let list: SessionList
    private var offered: ResumableSession?
    /// Issued before the handshake was complete, as TLS 1.2 does. Not kept before the server is accepted for good.
    private var early: [SessionReference] = []
    private var isHandshaking = true

    init(_ cache: SessionCache, for key: SessionCache.Key) {
        self.cache = cache
        list = cache.list(for: key)
    }

    /// Lets `ssl` offer a session, if there is one whose verdict holds now.
    ///
    /// - Parameter reaffirm: asks once more where a verdict depends on more than the time. A session it does not vouch
    ///   for is not offered.
    @unsafe mutating func offer(to ssl: OpaquePointer, reaffirm: (ServerTrustResult) -> Bool) {
        guard let session = list.take(at: Timestamp.now), reaffirm(session.evidence.result),
            unsafe session.reference.offer(to: ssl)
        else { return }
        offered = session
    }

    /// The verdict of the session that was offered.
    var offeredEvidence: TrustEvidence? { offered?.evidence }

    /// Takes in a session the server has issued.
    @unsafe mutating func take(_ session: OpaquePointer, under evidence: TrustEvidence?) {
        guard let reference = unsafe SessionReference(copying: session) else { return }
        if isHandshaking { return early.append(reference) }
        guard let evidence else { return }
        cache.store(ResumableSession(reference, evidence: evidence), on: list)
    }

    /// Keeps what has been issued so far, if there is a verdict to keep it with.
    mutating func handshakeComplete(under evidence: TrustEvidence?) {
        isHandshaking = false
        let early = early
        self.early = []
        guard let evidence else { return }
        for reference in early { cache.store(ResumableSession(reference, evidence: evidence), on: list) }
    }

    /// Was it for the session we offered, the next handshake has to do without.
    func handshakeFailed() {
        if offered != nil { list.clear() }
    }
}
