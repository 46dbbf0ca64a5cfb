// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// What `--json` writes.
protocol JSONReport: Encodable {}

extension JSONReport {
    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return try encoder.encode(self)
    }
}
