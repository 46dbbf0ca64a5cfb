// SPDX-License-Identifier: Apache-2.0

/// One small GET per connection, with a number of connections at a time.
struct HandshakeScenario: Encodable, Hashable, Sendable {
    let handshakes: Handshakes
    let connections: Int

    var title: String { "\(handshakes) handshakes, \(connections) at a time" }

    static let all = [
        HandshakeScenario(handshakes: .new, connections: 1),
        HandshakeScenario(handshakes: .new, connections: 16),
        HandshakeScenario(handshakes: .resumed, connections: 1),
    ]
}
