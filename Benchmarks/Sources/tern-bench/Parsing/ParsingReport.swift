// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The whole measurement of parsers.
struct ParsingReport: JSONReport {
    let machine: Machine
    let rounds: Int
    /// The other parser and its version, or why there is none.
    let peer: String
    let rows: [ParsingRow]

    /// For the eye: a Markdown table.
    var text: String {
        let header =
            "\(machine.processorCount) × \(machine.processor), Linux \(machine.kernel); medians of \(rounds) interleaved rounds. "
            + "Beside \(peer). Allocations are per message."
        var lines = [
            [
                "message", "bytes", "Tern ns", "GB/s", "allocations", "http_parser ns", "GB/s", "allocations",
                "times as fast",
            ]
        ]
        for row in rows {
            lines.append(
                [row.title, String(row.bytes)] + figures(row.tern) + figures(row.peer) + [figure(row.speedup)])
        }
        return header + "\n\n" + Markdown.table(lines)
    }

    private func figures(_ side: ParsingRow.Side?) -> [String] {
        [
            figure(side?.nanosecondsPerMessage), figure(side?.gigabytesPerSecond),
            side?.allocationsPerMessage.map { String(format: "%.2f", $0) } ?? "–",
        ]
    }

    private func figure(_ value: Double?) -> String { Markdown.figure(value) }
}

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
