// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTLS

/// How the commands write JSON.
enum JSONReport {
    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// RFC 3339.
    static func time(_ seconds: Int64) -> String { Timestamp.rfc3339(seconds) }
}
