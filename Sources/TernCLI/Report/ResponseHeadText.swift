// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern

/// Heads as written by `-i` and `-D`.
enum ResponseHeadText {
    static func bytes(_ response: Tern.HTTPURLResponse) -> Data {
        Data(response.head.encoded)
    }

    /// Three digits.
    static func status(_ status: Int) -> String {
        String(repeating: "0", count: max(0, 3 - String(status).count)) + String(status)
    }
}
