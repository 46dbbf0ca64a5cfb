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

/// A verdict that accepted a server, and how long it is valid.
struct TrustEvidence: Sendable {
    let result: ServerTrustResult
    /// The input of the verdict, for a session whose user is asked about it; nil for others.
    let revocation: RevocationData?
    /// The range of times for which the evaluation would give the same verdict, in seconds since 1970. Evaluation is a
    /// pure function, and only the time changes. Not before the verdict: a clock that was ahead may have let pins
    /// expire.
    let validity: ClosedRange<Int64>

    /// Whatever the tickets' lifetime, a server must present its certificates at least once a day.
    private static let maximumAge: Int64 = 86400
    /// Unknown revocation status may soon become known.
    private static let ageWithoutRevocation: Int64 = 300

    /// Nil for a refusal.
    init?(_ result: ServerTrustResult, at time: Int64, revocation: RevocationData? = nil) {
        guard result.isAccepted else { return nil }
        self.result = result
        self.revocation = revocation
        var end = time &+ Self.maximumAge
        // A policy that does not validate the chain ignores dates.
        for certificate in result.isChainValidated ? result.verifiedChain : [] {
            guard let notAfter = certificate.notAfter else { return nil }
            // Between two seconds, as connections are, the last one is past the end as soon as it has begun.
            end = min(end, notAfter &- 1)
        }
        for finding in result.revocation {
            if case .good(let until) = finding.status {
                end = min(end, until)
            } else {
                end = min(end, time &+ Self.ageWithoutRevocation)
            }
        }
        if let last = result.transparency?.end { end = min(end, last) }
        guard time <= end else { return nil }
        validity = time...end
    }
}
