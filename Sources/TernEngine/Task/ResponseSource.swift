// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernLock

/// What may answer hops in place of the network: a cache. A session has one, or none.
protocol ResponseSource: Sendable {
    /// The source's part in a hop that policies have prepared; nil if it has none.
    func part(in hop: SourcedHop) -> (any HopSource)?
}

/// A hop as a response source sees it.
struct SourcedHop {
    /// As it would be sent.
    let hop: Hop
    /// The request of the hop without what policies added.
    let request: URLRequest
    let chain: RedirectChain
    /// What of the hop's route distinguishes responses.
    let routeKey: [[UInt8]]
    /// The stable identity of the credential that authenticates the hop; nil for what the hop's fields say.
    let credentialIdentity: String?
    /// The source's part in the hop as it was sent before, which ends when the new one is there; nil the first time.
    var earlier: (any HopSource)?
}

/// The part of a response source in one hop, from the time when policies have prepared the hop until the hop is over. On
/// the reactor's thread, in the midst of a change of the task: it calls no user code, and does not block.
protocol HopSource: AnyObject {
    /// What the source does before the hop is sent. It is asked again after each of its lookups.
    func answer() -> SourceAnswer

    /// The fields that the source adds to a hop that is sent, in place of others of their names.
    var additions: [HeaderField] { get }

    /// The head of a final response to the hop, which no policy has refused.
    func received(_ head: ResponseHead, on connection: ConnectionMetrics?) -> SourceDecision

    /// An attempt has no response; or the source's own carrier had none, if `isOwn`.
    func failed(_ failure: AttemptFailure, isOwn: Bool) -> SourceRecovery

    /// The reader of the response takes no more at present.
    func paused()

    /// The hop is over, however it ended: the source gives back what it holds. Called once.
    func ended()

    /// How the hop was handled, for the metrics.
    var status: CacheStatus? { get }

    /// Whether its carrier stands for the network: policies learn from the response, and it may be stored.
    var isProvided: Bool { get }

    /// Whether a redirect by this head is followed.
    func follows(_ head: ResponseHead) -> Bool
}

extension HopSource {
    var isProvided: Bool { false }

    func follows(_ head: ResponseHead) -> Bool { true }
}

/// What a response source does before a hop is sent.
enum SourceAnswer {
    /// The carrier of this source answers the hop. No connection is needed.
    case answer(any CarrierSource)
    /// The hop is sent.
    case pass
    /// Something must be looked up first; then the source is asked again.
    case lookUp(HopLookup)
    /// The task fails.
    case fail(SessionError.Reason)
}

/// A source's decision about the head of a response.
enum SourceDecision {
    case pass
    /// The same, and the tee receives the content of the response as it arrives, before it is decoded.
    case copy(to: any ContentTee)
    /// The response is discarded, and the carrier of this source answers the hop.
    case answer(any CarrierSource)
    /// The response is discarded, and the hop is sent again.
    case resend
    /// The delegate is asked whether this is the next hop.
    case redirect(to: URLRequest)
}

/// A source's decision about a failure.
enum SourceRecovery {
    case pass
    /// The carrier of this source answers the hop.
    case answer(any CarrierSource)
    /// The hop is sent, or sent again.
    case send
    /// The task fails with this error.
    case fail(SessionError.Reason)
}

/// Receives a copy of a response's content. On the reactor's thread, and with the rules of ``HopSource``.
protocol ContentTee: AnyObject {
    /// The next bytes as they were received, without the framing and before they are decoded.
    func received(_ bytes: Span<UInt8>)

    /// The reader of the response takes no more at present.
    func paused()

    /// The response ended; `isComplete` is false if it broke off, or the task was cancelled. Returns the question whether
    /// the content is kept, if that is one; without an answer it is not.
    func ended(isComplete: Bool) -> CacheQuestion?
}

/// The response providers of a session, as its tasks ask them.
protocol ProvidedHops: Sendable {
    /// Whether hops that have a server are provided for, too.
    var areForServers: Bool { get }

    /// Asks the providers in order, and calls `completion` with what answers the hop, once, on any thread; with nil if
    /// nothing does.
    func find(
        for hop: Hop, of request: URLRequest, _ task: any AnyObject & Sendable,
        completion: @escaping @Sendable ((any ProvidedHop)?) -> Void)
}

/// What answers one hop in place of the network.
protocol ProvidedHop: Sendable {
    /// The part of the source in the hop, once. It answers with a carrier.
    ///
    /// - Parameter cache: stores the response; nil if nothing does.
    func part(storing cache: (any HopSource)?) -> any HopSource

    /// The hop is over before it was answered: releases what the provider has made, on its queue.
    func discard()
}

/// What providers have found, from their thread for the reactor's. What is never taken is released on its own queue.
final class ProviderFinding: Sendable {
    private let found = Lock<(any ProvidedHop)?>(nil)

    func put(_ hop: (any ProvidedHop)?) { found.withLock { $0 = hop } }

    func take() -> (any ProvidedHop)? { found.withLock { $0.take() } }

    func discard() { take()?.discard() }

    deinit { discard() }
}
