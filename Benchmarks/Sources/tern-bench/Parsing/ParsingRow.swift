// SPDX-License-Identifier: Apache-2.0

/// One message as both sides read it. Figures of the peer are missing where it is.
struct ParsingRow: Encodable {
    let message: String
    let title: String
    let bytes: Int
    let tern: Side
    let peer: Side?

    struct Side: Encodable {
        /// The median over all rounds.
        let nanosecondsPerMessage: Double
        let gigabytesPerSecond: Double
        /// Nil where allocations cannot be counted.
        let allocationsPerMessage: Double?

        init(nanoseconds: Double, bytes: Int, allocations: Double?) {
            nanosecondsPerMessage = nanoseconds
            gigabytesPerSecond = Double(bytes) / nanoseconds
            allocationsPerMessage = allocations
        }
    }

    /// How many times as fast Tern is.
    var speedup: Double? { peer.map { $0.nanosecondsPerMessage / tern.nanosecondsPerMessage } }

    private enum CodingKeys: CodingKey { case message, title, bytes, tern, peer, speedup }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(message, forKey: .message)
        try container.encode(title, forKey: .title)
        try container.encode(bytes, forKey: .bytes)
        try container.encode(tern, forKey: .tern)
        try container.encodeIfPresent(peer, forKey: .peer)
        try container.encodeIfPresent(speedup, forKey: .speedup)
    }
}
