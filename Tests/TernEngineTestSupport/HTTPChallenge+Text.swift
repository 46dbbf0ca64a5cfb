// SPDX-License-Identifier: Apache-2.0

@testable import TernEngine

extension HTTPChallenge {
    /// The challenges of fields whose values are this text in UTF-8.
    static func challenges(in fields: [String]) -> [HTTPChallenge] { challenges(in: fields.map { Array($0.utf8) }) }
}
