// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// The earlier redirects of a task. Empty until the first, and then it costs nothing.
struct RedirectChain: Sendable {
    /// The number of redirects followed so far.
    private(set) var count = 0
    /// Whether all requests so far went to one origin. Once false, always false: a chain that returns to the first
    /// origin through another does so because the other one redirected it there.
    private(set) var mayCarryCredentials = true
    /// What authenticates the attempts of the hop that the chain has led to; nil for what its request has itself.
    private(set) var login: PasswordLogin? {
        get { rare.parts?.login }
        set { rare.set(newValue) { $0.login = $1 } }
    }
    private var past: Past? {
        get { rare.parts?.past }
        set { rare.set(newValue) { $0.past = $1 } }
    }
    private var rare = Rare<RareParts>()

    /// The state of a task that was redirected, or has logged in.
    private struct RareParts: RareValue {
        var login: PasswordLogin?
        var past: Past?
    }

    /// The state of a redirected task only.
    private struct Past {
        let home: HTTPOrigin
        /// The last ones, as many as a chain remembers.
        let asked: [Asked]
    }

    /// The parts of a request that its response may depend on.
    private struct Asked: Equatable {
        let method: String
        /// Without fragment and userinfo; the case of a host and a default port make no difference.
        let destination: Destination
        let fields: HeaderFields
        let login: [[UInt8]]?
        let mayCarryCredentials: Bool
    }

    /// The hop is authenticated by this login, or by none.
    mutating func logIn(as login: PasswordLogin?) { self.login = login }

    /// Records a request to this origin; the first request's origin is the chain's home. Call it also for requests that
    /// the delegate changed.
    mutating func visit(_ origin: HTTPOrigin) {
        guard let past else { return past = Past(home: origin, asked: []) }
        if origin != past.home { mayCarryCredentials = false }
    }

    /// The same, for a request that may have no valid destination: then there is nothing to record.
    mutating func visit(_ request: URLRequest) {
        if let origin = try? request.destination.get().origin { visit(origin) }
    }

    /// Records that this request was answered by a permanent redirect. False if that is so for the second time within
    /// ``RedirectPolicy/maximumRememberedHops`` of them.
    mutating func record(_ request: URLRequest, to destination: Destination) -> Bool {
        visit(destination.origin)
        let question = Asked(
            method: request.method, destination: destination, fields: request.headers, login: login?.identity,
            mayCarryCredentials: mayCarryCredentials)
        guard let past else { return true }
        if past.asked.contains(question) { return false }
        self.past = Past(
            home: past.home, asked: past.asked.suffix(RedirectPolicy.maximumRememberedHops - 1) + [question])
        return true
    }

    /// Records that the redirect is followed with this request, which may have no valid destination.
    mutating func follow(_ request: URLRequest) {
        visit(request)
        leaveTarget()
    }

    /// Records that the redirect is followed to this origin.
    mutating func follow(to origin: HTTPOrigin) {
        visit(origin)
        leaveTarget()
    }

    private mutating func leaveTarget() {
        count &+= 1
        if !mayCarryCredentials || login?.isForOneTarget == true { login = nil }
    }
}
