// SPDX-License-Identifier: Apache-2.0

internal import CCurlMulti
internal import CHTTPParser

/// Tern's decoder and a C parser on the same bytes: each round runs each message once on each side, one side right
/// after the other, so that any slowdown of the machine affects both.
struct ParsingComparison {
    let rounds: Int
    /// The duration of one run.
    let nanosecondsPerTurn: UInt64
    let messages: [ParsedMessage]

    func run() throws -> ParsingReport {
        let tern = TernParser()
        let peer = CParser.version == nil ? nil : try CParser()
        return ParsingReport(
            machine: .current, rounds: rounds,
            peer: CParser.version.map { "http_parser \($0)" } ?? "no C parser: libhttp-parser-dev is not installed",
            rows: try messages.map { try measure($0, tern, peer) })
    }

    private func measure(_ message: ParsedMessage, _ tern: TernParser, _ peer: CParser?) throws -> ParsingRow {
        try check(message, tern, peer)
        var ternTimes: [Double] = []
        var peerTimes: [Double] = []
        for _ in 0..<rounds {
            ternTimes.append(try turn(message, tern))
            if let peer { peerTimes.append(try turn(message, peer)) }
        }
        return ParsingRow(
            message: message.name, title: message.title, bytes: message.bytes.count,
            tern: try side(message, tern, ternTimes), peer: try peer.map { try side(message, $0, peerTimes) })
    }

    private func side(_ message: ParsedMessage, _ parser: some ResponseParser, _ times: [Double]) throws
        -> ParsingRow.Side
    {
        ParsingRow.Side(
            nanoseconds: times.sorted()[times.count / 2], bytes: message.bytes.count,
            allocations: try allocations(message, parser))
    }

    /// Nanoseconds per message: the median over the batches of a run, so that one during which another process had the
    /// processor counts for no more than any other.
    private func turn(_ message: ParsedMessage, _ parser: some ResponseParser) throws -> Double {
        var tally = parsing_tally()
        var times: [UInt64] = []
        var time: UInt64 = 0
        while time < nanosecondsPerTurn {
            try parser.begin()
            let start = monotonic_nanoseconds()
            try parser.read(message.bytes, &tally)
            times.append(monotonic_nanoseconds() &- start)
            time &+= times[times.count - 1]
        }
        return Double(times.sorted()[times.count / 2]) / Double(parsersPerBatch)
    }

    /// Allocations per message, once everything that is kept has been made.
    private func allocations(_ message: ParsedMessage, _ parser: some ResponseParser) throws -> Double? {
        guard let counter = AllocationCounter.shared else { return nil }
        var tally = parsing_tally()
        var count: UInt64 = 0
        for _ in 0..<64 {
            try parser.begin()
            let before = counter.count
            try parser.read(message.bytes, &tally)
            count &+= counter.count &- before
        }
        return Double(count) / Double(tally.messages)
    }

    /// Speed is worth nothing unless both sides find the same.
    private func check(_ message: ParsedMessage, _ tern: TernParser, _ peer: CParser?) throws {
        let ours = try found(message, tern)
        guard let peer else { return }
        let theirs = try found(message, peer)
        guard ours == theirs else { throw ParsingFailed(message: "\(message.name): \(ours) is not \(theirs)") }
    }

    private func found(_ message: ParsedMessage, _ parser: some ResponseParser) throws -> [UInt64] {
        var tally = parsing_tally()
        try parser.begin()
        try parser.read(message.bytes, &tally)
        return [tally.messages, tally.statuses, tally.fields, tally.body_bytes, tally.reusable]
    }
}
