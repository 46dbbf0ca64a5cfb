// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// All figures of a comparison.
struct Report: JSONReport {
    let machine = Machine.current
    let date: Date
    let rounds: Int
    let secondsPerRun: Double
    let rows: [Row]
    /// Peers that could not be measured, and why.
    let skipped: [String]
    /// Runs that failed.
    let failures: [String]
}
