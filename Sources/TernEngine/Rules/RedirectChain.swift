// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// What a task remembers of the redirects behind it. Empty until the first, and then it costs nothing.
struct RedirectChain: Sendable {
    /// Redirects followed so far.
    private(set) var count = 0
    /// Whether all requests so far went to one origin. Once false, always false: a chain that returns to the first
    /// origin by way of another does so because the other wanted it.
    private(set) var mayCarryCredentials = true
    private var past: Past?

    /// What only a task has that was redirected. Never changed, so that chains are values.
    private final class Past: Sendable {
        let home: HTTPOrigin
        /// The last ones, as many as a chain remembers.
        let asked: [Asked]

        init(home: HTTPOrigin, asked: [Asked]) {
            self.home = home
            self.asked = asked
        }
    }

    /// A request as far as its answer may depend on it.
    private struct Asked: Equatable {
        let method: String
        /// Without fragment and userinfo; the case of a host and a default port make no difference.
        let destination: Destination
        let fields: HeaderFields
        let mayCarryCredentials: Bool
    }

    /// A request goes to this origin; the first request's origin is the chain's home. To be called also for requests
    /// that the delegate changed.
    mutating func visit(_ origin: HTTPOrigin) {
        guard let past else { return past = Past(home: origin, asked: []) }
        if origin != past.home { mayCarryCredentials = false }
    }

    /// This request was answered by a redirect. False if that is so for the second time within
    /// ``RedirectPolicy/maximumRememberedHops``.
    mutating func record(_ request: URLRequest, to destination: Destination) -> Bool {
        visit(destination.origin)
        let question = Asked(
            method: request.method, destination: destination, fields: request.headers,
            mayCarryCredentials: mayCarryCredentials)
        guard let past else { return true }
        if past.asked.contains(question) { return false }
        self.past = Past(
            home: past.home, asked: past.asked.suffix(RedirectPolicy.maximumRememberedHops - 1) + [question])
        return true
    }

    /// The redirect is followed to this origin.
    mutating func follow(to origin: HTTPOrigin) {
        count &+= 1
        visit(origin)
    }
}
