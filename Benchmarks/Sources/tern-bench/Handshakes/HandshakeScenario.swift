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

/// What kind of TLS handshakes connections are to make.
enum Handshakes: String, Codable, Hashable, Sendable {
    /// Whatever comes; they are not what is measured.
    case any
    /// Each with certificates and signatures.
    case new
    /// Each by a ticket of an earlier one.
    case resumed

    /// What to fetch, so that a handshake of the wrong kind is found out.
    var path: String { "/\(rawValue)" }

    /// The size of the answer to a handshake of the right kind, in bytes.
    static let bodySize = 2
}
