// SPDX-License-Identifier: Apache-2.0

/// One thing that had to hold.
struct Verdict: Sendable {
    var isFine: Bool
    var text: String
}
