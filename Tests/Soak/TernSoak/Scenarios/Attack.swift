// SPDX-License-Identifier: Apache-2.0

/// A hostile server, by name: what it does, and how many connections to it there are.
struct Attack: Codable, Sendable {
    enum Kind: String, Codable, Sendable {
        /// Connections that ask again as soon as they are answered.
        case connections
        /// Connections that become WebSockets.
        case webSockets
        /// 100,000 requests wait for a server that never answers, and are given up in some order.
        case cancelNewestFirst, cancelOldestFirst, cancelAtRandom
        /// Whether the client looks at what a connection holds before it uses it again.
        case finWithResponse, strayBehindWork
        /// No attack: work on the reactor, which the soak must detect.
        case work
    }

    var name: String
    var kind = Kind.connections
    var door = "tls"
    var behaviour = "good"
    /// Whether the server's certificate is to be looked at; no hostile server is trusted otherwise.
    var evaluates = false
    /// Continues until every connection has been answered once, within reason.
    var awaitsAnswers = false
    /// The cookies of other sites in the jar of the session; nil if it has none.
    var cookies: Int?
    /// Whether the session stores what it is answered.
    var isCached = false
    /// Whether the server is the proxy of the session: the behaviour is its answer to CONNECT.
    var isProxy = false
    /// Memory that the other side must not be able to take.
    var limitsMemory = false
    var webSocket: WebSocketUse?

    static let all: [Attack] = [
        Attack(name: "path-bomb", door: "path-bomb", evaluates: true, awaitsAnswers: true),
        Attack(name: "huge-modulus", door: "huge-modulus", awaitsAnswers: true),
        Attack(name: "key-updates", behaviour: "key-updates", limitsMemory: true),
        Attack(name: "tickets", behaviour: "tickets", limitsMemory: true),
        Attack(name: "hello-requests", door: "tls12", behaviour: "hello-requests", limitsMemory: true),
        Attack(name: "one-byte-records", behaviour: "one-byte-records", limitsMemory: true),
        Attack(name: "empty-records", behaviour: "empty-records", limitsMemory: true),
        Attack(name: "warnings", behaviour: "warnings", limitsMemory: true),
        Attack(name: "million-header-bytes", door: "plain", behaviour: "million-header-bytes", limitsMemory: true),
        Attack(name: "cookie-dates", door: "plain", behaviour: "cookie-dates", cookies: 3000),
        Attack(name: "fresh-cookies", door: "plain", behaviour: "fresh-cookies", cookies: 3000),
        Attack(
            name: "long-fields", door: "plain", behaviour: "long-fields", cookies: 0, isCached: true, limitsMemory: true
        ),
        Attack(name: "proxy-records", door: "tls", behaviour: "connect-records", isProxy: true, limitsMemory: true),
        Attack(name: "proxy-chunks", door: "plain", behaviour: "connect-chunks", isProxy: true, limitsMemory: true),
        Attack(
            name: "proxy-informational", door: "plain", behaviour: "connect-informational", isProxy: true,
            limitsMemory: true),
        Attack(name: "empty-blocks", door: "plain", behaviour: "empty-blocks", limitsMemory: true),
        Attack(name: "cancel-newest-first", kind: .cancelNewestFirst, door: "plain", behaviour: "stall"),
        Attack(name: "cancel-oldest-first", kind: .cancelOldestFirst, door: "plain", behaviour: "stall"),
        Attack(name: "cancel-at-random", kind: .cancelAtRandom, door: "plain", behaviour: "stall"),
        Attack(name: "fin-with-response", kind: .finWithResponse, door: "plain", behaviour: "fin-with-response"),
        Attack(name: "stray-behind-work", kind: .strayBehindWork, door: "plain", behaviour: "stray-later"),
    ]
}
