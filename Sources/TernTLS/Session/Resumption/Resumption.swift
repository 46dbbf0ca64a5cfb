// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// The sessions of one connection's server: offering one and keeping new ones.
struct Resumption {
    private let cache: SessionCache
    private let list: SessionList
    private var offered: ResumableSession?
    /// Issued before the handshake was complete, as TLS 1.2 does. Kept only once the server is finally accepted.
    private var early: [SessionReference] = []
    private var isHandshaking = true

    init(_ cache: SessionCache, for key: SessionCache.Key) {
        self.cache = cache
        list = cache.list(for: key)
    }

    /// Lets `ssl` offer a session, if there is one whose verdict holds now.
    ///
    /// - Parameter reaffirm: evaluates again if a verdict depends on more than the time. A session that it does not
    ///   confirm is not offered.
    @unsafe mutating func offer(to ssl: OpaquePointer, reaffirm: (ServerTrustResult) -> Bool) {
        guard let session = list.take(at: Timestamp.now), reaffirm(session.evidence.result),
            unsafe session.reference.offer(to: ssl)
        else { return }
        offered = session
    }

    /// The verdict of the offered session.
    var offeredEvidence: TrustEvidence? { offered?.evidence }

    /// Adds a session that the server has issued.
    @unsafe mutating func take(_ session: OpaquePointer, under evidence: TrustEvidence?) {
        guard let reference = unsafe SessionReference(copying: session) else { return }
        if isHandshaking { return early.append(reference) }
        guard let evidence else { return }
        cache.store(ResumableSession(reference, evidence: evidence), on: list)
    }

    /// Keeps the sessions issued so far, if there is a verdict to keep them with.
    mutating func handshakeComplete(under evidence: TrustEvidence?) {
        isHandshaking = false
        let early = early
        self.early = []
        guard let evidence else { return }
        for reference in early { cache.store(ResumableSession(reference, evidence: evidence), on: list) }
    }

    /// If the offered session was the cause, the next handshake must not use it.
    func handshakeFailed() {
        if offered != nil { list.clear() }
    }
}
