// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern

/// Heads as written by `-i` and `-D`.
enum ResponseHeadText {
    static func bytes(_ response: Tern.HTTPURLResponse) -> Data {
        let line = "\(response.head.version) \(status(response.statusCode)) \(response.reasonPhrase)\r\n"
        let fields = response.headers.map { "\($0.name): \($0.value)\r\n" }.joined()
        return Data((line + fields + "\r\n").utf8)
    }

    /// Three digits.
    static func status(_ status: Int) -> String {
        String(repeating: "0", count: max(0, 3 - String(status).count)) + String(status)
    }
}
