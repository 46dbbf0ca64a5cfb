// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The whole measurement of parsers.
struct ParsingReport: Encodable {
    let machine: Machine
    let rounds: Int
    /// The other parser and its version, or why there is none.
    let peer: String
    let rows: [ParsingRow]

    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

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
