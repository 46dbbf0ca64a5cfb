// SPDX-License-Identifier: Apache-2.0

/// The version of this package. `scripts/check-house-rules` compares it with the newest version of CHANGELOG.md.
enum Version {
    static let current = "0.2.0"
    /// When the manual was written.
    static let date = "2026-11-26"

    static var text: String { "tern \(current)" }
}
