// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernFiles
import TernTLS

/// How the commands write JSON. It is UTF-8: another byte becomes U+FFFD.
enum JSONReport {
    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return ByteText.replacing(in: String(decoding: try encoder.encode(value), as: UTF8.self)) { _ in "\u{FFFD}" }
    }

    /// RFC 3339.
    static func time(_ seconds: Int64) -> String { Timestamp.rfc3339(seconds) }
}
