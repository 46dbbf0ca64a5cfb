// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernLock

/// What may answer hops in place of the network: the protocol classes of a program, a cache. A session has a list of them.
/// They are asked in order, and behind the last one is the network. A source sees the heads and the failures of what
/// stands behind it, and may answer instead.
protocol ResponseSource: Sendable {
    /// What the source needs to be asked about the hop. The task calls it for each hop, with the rules of ``HopSource``.
    func need(for hop: Hop) -> SourceNeed

    /// Whether the source compares requests as they are sent: policies add the session's fields before, and name the
    /// credential that is added when the hop departs.
    var comparesRequests: Bool { get }

    /// Whether the source may have a part in a hop before anything is registered for the whole process.
    var isAskedAlways: Bool { get }

    /// The source's part in a hop that policies have prepared; nil if it has none.
    func part(in hop: SourcedHop) -> (any HopSource)?
}

extension ResponseSource {
    /// A hop without a server has no route.
    func need(for hop: Hop) -> SourceNeed { hop.hasServer ? .route : .nothing }

    var comparesRequests: Bool { true }

    var isAskedAlways: Bool { true }
}

/// What a response source needs to be asked about a hop.
enum SourceNeed {
    /// The source has no part in the hop.
    case nothing
    case hop
    /// The hop and its route.
    case route
}

/// What answers a hop.
enum ResponseSourceKind: Sendable {
    case network
    /// A protocol class of the program, or of the library.
    case protocolClass
    /// A stored response.
    case cache
    /// A response that was recorded.
    case cassette

    /// Whether policies learn from its responses and failures, and other sources may store them.
    var standsForNetwork: Bool { self != .cache }
}

/// A hop as a response source sees it.
struct SourcedHop {
    /// As it would be sent.
    var hop: Hop
    /// The request of the hop without what policies added.
    let request: URLRequest
    let chain: RedirectChain
    /// What of the hop's route distinguishes responses; nil if no source has needed the route.
    var routeKey: [[UInt8]]?
    /// The stable identity of the credential that authenticates the hop; nil for what the hop's fields say.
    let credentialIdentity: String?
    let task: any AnyObject & Sendable
    /// The source's part in the hop as it was sent before, which ends when the new one is there; nil the first time.
    var earlier: (any HopSource)?

    /// The hop as an attempt would send it, with what authenticates it.
    var signed: Hop {
        guard let login = chain.login else { return hop }
        var hop = hop
        login.sign(&hop.request)
        return hop
    }
}

/// The part of a response source in one hop, from the time when policies have prepared the hop until the hop is over. On
/// the reactor's thread, in the midst of a change of the task: it calls no user code, and does not block.
protocol HopSource: AnyObject {
    /// What the source does before the hop is sent. It is asked again after each of its lookups, and after it had the hop
    /// sent in place of its own answer.
    func answer() -> SourceAnswer

    /// The fields that the source adds to a hop that it passes on, in place of others of their names.
    var additions: [HeaderField] { get }

    /// The head of a final response of what stands behind the source, which no policy has refused.
    ///
    /// - Parameter isStorable: whether it may be stored, as far as those say that have delivered it.
    func received(_ head: ResponseHead, isStorable: Bool) -> SourceDecision

    /// What stands behind the source has no response; or the source's own carrier had none, if `isOwn`.
    func failed(_ failure: AttemptFailure, isOwn: Bool) -> SourceRecovery

    /// The reader of the response takes no more at present.
    func paused()

    /// The hop is over, however it ended: the source gives back what it holds. Called once.
    func ended()

    /// How the hop was handled, for the metrics.
    var status: CacheStatus? { get }

    /// What its carrier stands for.
    var kind: ResponseSourceKind { get }

    /// What its carrier says about heads; nil for one that says nothing.
    var marks: HeadMarks? { get }

    /// The route of the hop is known, as the source has demanded.
    func resolved(_ routeKey: [[UInt8]])
}

// What a source does that answers or passes, and has nothing to do with what others answer.
extension HopSource {
    var additions: [HeaderField] { [] }

    var status: CacheStatus? { nil }

    func received(_ head: ResponseHead, isStorable: Bool) -> SourceDecision { .pass }

    func failed(_ failure: AttemptFailure, isOwn: Bool) -> SourceRecovery { .pass }

    func paused() {}

    func ended() {}

    var kind: ResponseSourceKind { .cache }

    var marks: HeadMarks? { nil }

    func resolved(_ routeKey: [[UInt8]]) {}
}

/// What a protocol class has said about the last head. On the reactor's thread, hence `@unchecked Sendable`.
final class HeadMarks: @unchecked Sendable {
    private(set) var isStorable = false
    private(set) var isFollowed = true
    private var redirect: URLRequest?

    /// A head comes, and this is said about it.
    ///
    /// - Parameter redirect: the head is a redirect to this; nil for one that is not.
    func note(isStorable: Bool, isFollowed: Bool, redirect: URLRequest? = nil) {
        (self.isStorable, self.isFollowed, self.redirect) = (isStorable, isFollowed, redirect)
    }

    /// Returns where the head is a redirect to, once.
    func takeRedirect() -> URLRequest? { redirect.take() }
}

/// What a response source does before a hop is sent.
enum SourceAnswer {
    /// The carrier of this source answers the hop. No connection is needed.
    case answer(any CarrierSource)
    /// The hop is sent.
    case pass
    /// Something must be looked up first; then the source is asked again.
    case lookUp(HopLookup)
    /// The same for the route of the hop.
    case resolve
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
    /// The response is discarded, and what has given it is asked again.
    case resend
}

/// A source's decision about a failure.
enum SourceRecovery {
    case pass
    /// The carrier of this source answers the hop.
    case answer(any CarrierSource)
    /// The hop is passed on, with nothing added yet: what stands behind the source is asked.
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

/// What a lookup has found, from its thread for the reactor's.
final class LookupResult<Value: Sendable>: Sendable {
    private let value = Lock<Value?>(nil)

    func put(_ found: Value?) { value.withLock { $0 = found } }

    func take() -> Value? { value.withLock { $0.take() } }
}

/// The list of a session's response sources, as one.
struct SourceChain: ResponseSource {
    let sources: [any ResponseSource]

    func need(for hop: Hop) -> SourceNeed {
        for source in sources {
            let need = source.need(for: hop)
            if need != .nothing { return need }
        }
        return .nothing
    }

    var comparesRequests: Bool { sources.contains(where: \.comparesRequests) }

    func part(in sourced: SourcedHop) -> (any HopSource)? {
        var asked = sources.lazy.filter { $0.need(for: sourced.hop) != .nothing }.makeIterator()
        if let first = asked.next(), asked.next() == nil { return first.part(in: sourced) }
        return ChainedHop(sourced, sources)
    }
}

/// The parts of several sources in one hop.
///
/// What one of them answers goes to those in front of it. If it stands for the network, the sources behind it may store
/// it, too: they are not asked about the hop.
private final class ChainedHop: HopSource {
    private var sourced: SourcedHop
    private let sources: [any ResponseSource]
    /// Of the sources that have been asked, in their order, and of those that may store what was answered before them.
    private var parts: [(any HopSource)?] = []
    /// The source that is asked now.
    private var index = 0
    /// The source that answers; nil for the network.
    private var answering: Int?

    init(_ sourced: SourcedHop, _ sources: [any ResponseSource]) { (self.sourced, self.sources) = (sourced, sources) }

    private var answerer: (any HopSource)? { answering.flatMap { parts[$0] } }

    var kind: ResponseSourceKind { answerer?.kind ?? .network }

    var marks: HeadMarks? { answerer?.marks }

    var status: CacheStatus? { parts.lazy.compactMap { $0?.status }.first }

    var additions: [HeaderField] { parts.flatMap { $0?.additions ?? [] } }

    func resolved(_ routeKey: [[UInt8]]) { sourced.routeKey = routeKey }

    func paused() { for part in parts { part?.paused() } }

    func ended() { askAgain(from: 0) }

    /// The sources from this one on have no more part in the hop.
    private func askAgain(from first: Int) {
        (index, answering) = (first, nil)
        while parts.count > first { parts.removeLast()?.ended() }
    }

    func answer() -> SourceAnswer {
        while index < sources.count {
            if parts.count == index {
                let hop = passedOn
                switch sources[index].need(for: hop.hop) {
                case .nothing: parts.append(nil)
                case .route where hop.routeKey == nil: return .resolve
                case .hop, .route: parts.append(sources[index].part(in: hop))
                }
            }
            let answer = parts[index]?.answer() ?? .pass
            if case .pass = answer {
                index += 1
                continue
            }
            if case .answer = answer { begin() }
            return answer
        }
        return .pass
    }

    /// The hop as the source sees it that is asked next.
    private var passedOn: SourcedHop {
        var hop = sourced
        if let earlier = sourced.earlier as? ChainedHop {
            hop.earlier = index < earlier.parts.count ? earlier.parts[index] : nil
        }
        for field in additions { hop.hop.request.headers.replace(with: field) }
        return hop
    }

    /// The source that is asked answers.
    private func begin() {
        answering = index
        guard kind.standsForNetwork else { return }
        var hop = passedOn
        hop.hop.request.cachePolicy = .reloadIgnoringLocalCacheData
        for source in sources[(index + 1)...] {
            let part = source.part(in: hop)
            if let part, case .pass = part.answer() {
                parts.append(part)
            } else {
                part?.ended()
            }
        }
    }

    func received(_ head: ResponseHead, isStorable: Bool) -> SourceDecision {
        var tees: [any ContentTee] = []
        for place in parts.indices.reversed() where place != answering {
            let isBehind = answering.map { place > $0 } ?? false
            if isBehind, !isStorable || !kind.standsForNetwork { continue }
            switch parts[place]?.received(head, isStorable: isStorable) {
            case .copy(let tee): tees.append(tee)
            case .answer(let carrier) where !isBehind:
                for tee in tees { _ = tee.ended(isComplete: false) }
                answering = place
                return .answer(carrier)
            case .resend where !isBehind:
                for tee in tees { _ = tee.ended(isComplete: false) }
                if answering != nil { askAgain(from: place + 1) }
                return .resend
            case nil, .pass, .answer, .resend: break
            }
        }
        return tees.isEmpty ? .pass : .copy(to: tees.count == 1 ? tees[0] : Tees(tees))
    }

    func failed(_ failure: AttemptFailure, isOwn: Bool) -> SourceRecovery {
        for place in parts.indices.reversed() where place <= answering ?? .max {
            if place == answering, !isOwn { continue }
            let recovery = parts[place]?.failed(failure, isOwn: place == answering) ?? .pass
            switch recovery {
            case .pass: continue
            case .answer: answering = place
            case .send: askAgain(from: place + 1)
            case .fail: break
            }
            return recovery
        }
        return .pass
    }
}

/// Several receivers of a copy, as one.
private final class Tees: ContentTee {
    private let tees: [any ContentTee]

    init(_ tees: [any ContentTee]) { self.tees = tees }

    func received(_ bytes: Span<UInt8>) { for tee in tees { tee.received(bytes) } }

    func paused() { for tee in tees { tee.paused() } }

    /// The delegate is asked about the first; the others keep theirs if that is kept.
    func ended(isComplete: Bool) -> CacheQuestion? {
        let questions = tees.compactMap { $0.ended(isComplete: isComplete) }
        guard let first = questions.first else { return nil }
        return CacheQuestion(proposal: first.proposal) { answer in
            first.answer(answer)
            for other in questions.dropFirst() { other.answer(answer == nil ? nil : other.proposal) }
        }
    }
}
