// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// The history of a task, which its policies read, and what each of them remembers of it. It is part of the task, and
/// never copied.
struct TaskHistory: ~Copyable {
    /// The hop that is sent now, or was sent last, as policies have prepared it.
    private(set) var hop: Hop
    /// The request of the hop before policies prepared it; nil if none has changed it.
    private var unprepared: URLRequest? {
        get { rare.parts?.unprepared }
        set { rare.set(newValue) { $0.unprepared = $1 } }
    }
    /// The redirects that led to the hop.
    var chain = RedirectChain()
    /// The connection of the last final response. Known to policies that read the heads of all responses.
    var connection: ConnectionMetrics?
    /// What has answered the hop, or is asked for its answer, or has failed to give one.
    var responseSource = ResponseSourceKind.network
    /// Whether a request of an earlier hop may have reached a server, which may have acted on it for good: its method is
    /// not idempotent.
    private(set) var hasLeftEffect = false
    /// Whether bytes of an earlier hop may have reached a server.
    private(set) var wasSentBefore = false
    /// The stable identity of the credential that a policy has authenticated the hop with; nil for none.
    var credentialIdentity: String?
    /// The policy that the original request names; nil for the session's.
    let redirectPolicy: RedirectPolicy?
    /// The task was started.
    private(set) var start = MonotonicInstant(nanoseconds: 0)
    /// The task has no time after this; nil without a limit.
    var deadline: MonotonicInstant? { limit.instant }
    private var limit = Moment()
    /// Why another attempt follows, if one does.
    var continuation = AttemptMetrics.Continuation.changedRequest
    /// Why the last failure, or response that asks for it, was not followed by a retry; nil if one was, or none was asked for.
    var retryRefusal: RetryRefusal?
    /// The responses that were not the answer, in order: at most the last ``RedirectPolicy/maximumRememberedHops``.
    private(set) var responses: [HTTPURLResponse] {
        get { rare.parts?.responses ?? [] }
        set { rare.set(newValue.isEmpty ? nil : newValue) { $0.responses = $1 } }
    }
    private var rare = Rare<RareParts>()

    private struct RareParts: RareValue {
        var unprepared: URLRequest?
        var memories: [ObjectIdentifier: any PolicyMemory]?
        var responses: [HTTPURLResponse]?
    }

    /// - Parameter chain: the redirects that have led to the request already.
    @inline(__always)
    init(_ request: URLRequest, after chain: RedirectChain = RedirectChain()) {
        hop = Hop(request: request, mayCarryCredentials: chain.mayCarryCredentials)
        self.chain = chain
        redirectPolicy = request.redirectPolicy
    }

    /// The memory of a policy.
    subscript<Memory: PolicyMemory>(type: Memory.Type) -> Memory {
        get { rare.parts?.memories?[ObjectIdentifier(type)] as? Memory ?? Memory() }
        set { remember(newValue) }
    }

    /// The task has ended: its policies need no memory.
    mutating func forget() { rare.set(nil) { $0.memories = $1 } }

    mutating func remember(_ memory: any PolicyMemory) {
        rare.change {
            if $0.memories == nil { $0.memories = [:] }
            $0.memories?[ObjectIdentifier(type(of: memory))] = memory
        }
    }

    /// The request of the hop as the program, a redirect or an answer made it, without what policies added: the next
    /// hop, and the same one when it is sent again, start from it.
    var request: URLRequest { unprepared ?? hop.request }

    /// Whether policies have changed the hop.
    var isPrepared: Bool { rare.parts?.unprepared != nil }

    /// The request that an answer to a challenge is about: to the URL that the hop was sent to, with the content that it
    /// has when it is sent again.
    var subject: URLRequest {
        var request = request
        request.url = hop.request.url
        return request
    }

    /// The task was started then, and has time until then.
    mutating func begin(since start: MonotonicInstant, until deadline: MonotonicInstant?) {
        self.start = start
        limit.instant = deadline
    }

    /// A retry has time until then.
    mutating func renew(until deadline: MonotonicInstant?) { limit.instant = deadline }

    /// The retries, in order: of many the first ones and the last ones.
    var retries: [RetryMetrics] { rare.parts?.memories == nil ? [] : self[RetryMemory.self].retries }

    var retryCount: RetryRule.Count {
        rare.parts?.memories == nil ? RetryRule.Count() : self[RetryMemory.self].count
    }

    /// The hop is sent again.
    mutating func add(_ retry: RetryMetrics) { self[RetryMemory.self].add(retry) }

    /// A response to the hop, with the responses before it.
    @inline(__always)
    func response(_ head: ResponseHead) -> HTTPURLResponse {
        if head.isAttached, let provider = head.annex as? ProviderContext {
            return HTTPURLResponse(
                url: provider.url, head: head, history: responses, shownAs: provider.otherForm)
        }
        if rare.parts?.responses == nil, let context = hop.request.responseContext {
            return HTTPURLResponse.having(head, of: context)
        }
        return HTTPURLResponse(url: hop.request.url, head: head, history: responses)
    }

    /// Adds a response that was not the answer.
    mutating func append(_ response: HTTPURLResponse) {
        if responses.count < RedirectPolicy.maximumRememberedHops { return responses.append(response) }
        responses.removeFirst()
        // Its own history would retain the responses that are dropped here.
        responses.append(HTTPURLResponse(url: response.url, head: response.head))
    }

    // The caller releases the requests that these return when no state is half changed.

    /// Begins the next hop. Returns the requests of the one before.
    mutating func move(to request: URLRequest, _ chain: RedirectChain) -> [URLRequest] {
        self.chain = chain
        let previous = restart(with: request)
        hop = Hop(request: request, mayCarryCredentials: chain.mayCarryCredentials, number: hop.number &+ 1)
        return previous
    }

    /// Sends the hop with this request from now on. Returns the previous ones.
    mutating func restart(with request: URLRequest) -> [URLRequest] {
        let previous = [hop.request] + (unprepared.take().map { [$0] } ?? [])
        hop.request = request
        credentialIdentity = nil
        return previous
    }

    /// A policy has prepared the hop. Returns the request that is not needed any more, if there is one.
    mutating func prepare(as request: URLRequest) -> URLRequest? {
        let previous = hop.request
        hop.request = request
        if isPrepared { return previous }
        unprepared = previous
        return nil
    }

    /// An attempt of the hop was sent, and the next one is for another hop, or for a request that a server has not refused.
    mutating func leaveEffect(isSafeToRepeat: Bool) {
        wasSentBefore = true
        if !isSafeToRepeat { hasLeftEffect = true }
    }

    /// The facts about the hop after a response.
    var evidenceOfAnswer: RetryRule.Facts { evidence(Evidence(isAnswered: true, isSent: true)) }

    /// The facts about the hop once it was sent: content that can be read once has been read then.
    var evidenceOfSending: RetryRule.Facts {
        var facts = evidence(Evidence(isSent: true))
        facts.isContentReplayable = hop.request.body?.isReplayable ?? true
        return facts
    }

    /// The facts about the hop for the rules of sending a request again.
    func evidence(_ evidence: Evidence, wasRepeated: Bool = false) -> RetryRule.Facts {
        RetryRule.Facts(
            method: hop.request.method, hasIdempotencyKey: hop.request.headers["Idempotency-Key"] != nil,
            isContentReplayable: hop.request.isReplayable || !evidence.isSent,
            wasConnectionReused: evidence.wasReused, wasSent: evidence.isSent, wasAnswered: evidence.isAnswered,
            wasRepeated: wasRepeated)
    }
}

/// The retries of a task, for the planner, its error and its metrics.
private struct RetryMemory: PolicyMemory {
    private(set) var count = RetryRule.Count()
    /// The first ones and the last ones.
    private(set) var retries: [RetryMetrics] = []

    mutating func add(_ retry: RetryMetrics) {
        count.add(retry.delay)
        if retry.needsUnusedConnection { count.wasMisdirected = true }
        retry.join(&retries)
    }
}
