// SPDX-License-Identifier: Apache-2.0

/// What is fetched, over what, and how many at a time.
struct Scenario: Codable, Hashable, Sendable {
    enum Scheme: String, Codable, Sendable, CaseIterable { case http, https }

    enum Body: String, Codable, Sendable {
        case small, kilobyte, large

        var path: String { "/\(rawValue)" }

        var size: Int {
            switch self {
            case .small: 2
            case .kilobyte: 1024
            case .large: 100 << 20
            }
        }

        var title: String {
            switch self {
            case .small: "small GET"
            case .kilobyte: "1 KB GET"
            case .large: "100 MB GET"
            }
        }
    }

    let scheme: Scheme
    let body: Body
    let connections: Int

    /// Such as `http-small-64`.
    var name: String { "\(scheme)-\(body)-\(connections)" }

    var title: String { "\(scheme), \(body.title), \(connections) connection\(connections == 1 ? "" : "s")" }

    /// What the others are compared with: wrk discards everything and is the floor, except that it cuts its last
    /// transfers short, which counts when they are large.
    var baseline: Peer { body == .large ? .curlMulti : .wrk }

    /// Whether the client is measured here. A chain that is awaited collects its content: large content passes it by.
    func includes(_ client: Peer) -> Bool { body != .large || ![.ternPlainChain, .ternRuntimeChain].contains(client) }

    static let all = Scheme.allCases.flatMap(usual) + [Scenario(scheme: .http, body: .small, connections: 1000)]

    private static func usual(over scheme: Scheme) -> [Scenario] {
        [
            Scenario(scheme: scheme, body: .small, connections: 1),
            Scenario(scheme: scheme, body: .small, connections: 64),
            Scenario(scheme: scheme, body: .kilobyte, connections: 64),
            Scenario(scheme: scheme, body: .large, connections: 1),
        ]
    }

    /// Whether it is left out where time is short.
    var isExtra: Bool { body == .kilobyte || connections > 64 }
}
