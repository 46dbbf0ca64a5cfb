// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// One connection's dealings with its context's session cache.
struct Resumption {
    private let cache: SessionCache
    private let key: SessionCache.Key
    private var offered: ResumableSession?

    init(cache: SessionCache, key: SessionCache.Key) {
        self.cache = cache
        self.key = key
    }

    /// Lets `ssl` offer a session, if there is one whose verdict holds now.
    ///
    /// - Parameter reaffirm: asks once more where a verdict depends on more than the time. A session it does not vouch for
    ///   is not offered.
    @unsafe mutating func offer(to ssl: OpaquePointer, reaffirm: (ServerTrustResult) -> Bool) {
        guard let session = cache.take(key, at: Timestamp.now), reaffirm(session.evidence.result),
            unsafe session.reference.offer(to: ssl)
        else { return }
        offered = session
    }

    /// The verdict of the session that the server has agreed to resume.
    var evidence: TrustEvidence? { offered?.evidence }

    /// Keeps a session the server has issued.
    @unsafe func keep(_ session: OpaquePointer, evidence: TrustEvidence) {
        guard let reference = unsafe SessionReference(copying: session) else { return }
        cache.store(ResumableSession(reference, evidence: evidence), for: key)
    }

    /// The handshake has failed. Was it for the session we offered, the next one has to do without.
    func handshakeFailed() {
        if offered != nil { cache.forget(key) }
    }
}
