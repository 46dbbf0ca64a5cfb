// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// The history of a task, as far as its policies use it.
struct TaskHistory {
    /// The hop that is sent now, or was sent last.
    var hop: Hop
    /// The redirects that led to the hop.
    var chain = RedirectChain()
    // Counts of 32 bits keep a task within the sizes that the allocator serves fast.
    /// How often the delegate gave credentials.
    var challengeCount: Int32 = 0
    /// How often the hop was sent again because a kept-alive connection turned out to be dead: 0 or 1.
    var repeatCount: Int32 = 0
    /// How often policies had the hop sent again because of its response.
    var resendCount: Int32 = 0
    /// The password that the hop, or one before, was authenticated with.
    var login: PasswordLogin?
    /// The cookies that were added to the request for the hop; nil for none.
    var cookies: AddedCookies?
    /// The policy that the original request names; nil for the session's.
    let redirectPolicy: RedirectPolicy?
    /// The responses that were not the answer, in order: at most the last ``RedirectPolicy/maximumRememberedHops``.
    private(set) var responses: [HTTPURLResponse] = []

    @inline(__always)
    init(_ request: URLRequest) {
        hop = Hop(request: request)
        redirectPolicy = request.redirectPolicy
    }

    /// An object, so that a task without cookies has room for a reference only.
    final class AddedCookies: Sendable {
        /// The bytes of the request's own field; nil if it has none.
        let own: [UInt8]?
        /// The bytes of the field that was sent.
        let sent: [UInt8]

        init(own: [UInt8]?, sent: [UInt8]) { (self.own, self.sent) = (own, sent) }
    }

    /// Adds a response that was not the answer.
    mutating func append(_ response: HTTPURLResponse) {
        if responses.count < RedirectPolicy.maximumRememberedHops { return responses.append(response) }
        responses.removeFirst()
        // Its own history would retain the responses that are dropped here.
        responses.append(HTTPURLResponse(url: response.url, head: response.head))
    }

    /// Begins the next hop. Returns the request of the one before.
    mutating func move(to request: URLRequest, _ chain: RedirectChain) -> URLRequest {
        self.chain = chain
        let previous = hop.request
        hop = Hop(request: request, mayCarryCredentials: chain.mayCarryCredentials, number: hop.number &+ 1)
        (repeatCount, resendCount) = (0, 0)
        return previous
    }

    /// Sends the hop with this request from now on. Returns the previous one.
    mutating func replace(_ request: URLRequest) -> URLRequest {
        let previous = hop.request
        hop.request = request
        return previous
    }

    /// The facts about the hop for the rules of sending a request again.
    func evidence(_ evidence: Evidence) -> RepeatRule.Evidence {
        RepeatRule.Evidence(
            method: hop.request.method, hasIdempotencyKey: hop.request.headers["Idempotency-Key"] != nil,
            policy: hop.request.repeatPolicy, isContentReplayable: hop.request.isReplayable || !evidence.isSent,
            wasConnectionReused: evidence.wasReused, wasSent: evidence.isSent, wasAnswered: evidence.isAnswered,
            wasRepeated: repeatCount > 0)
    }
}
