// SPDX-License-Identifier: Apache-2.0

/// One condition of success.
struct Verdict: Sendable {
    var isFine: Bool
    var text: String
}
