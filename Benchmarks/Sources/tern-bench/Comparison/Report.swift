// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// All figures of a comparison.
struct Report: Encodable {
    let machine = Machine.current
    let date: Date
    let rounds: Int
    let secondsPerRun: Double
    let rows: [Row]
    /// Peers that could not be measured, and why.
    let skipped: [String]
    /// Runs that failed.
    let failures: [String]

    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return try encoder.encode(self)
    }
}
