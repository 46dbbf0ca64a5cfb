// SPDX-License-Identifier: Apache-2.0
import Foundation

/// How often a test repeats what fails by chance only.
public enum Rounds {
    private static let factor = ProcessInfo.processInfo.environment["TEST_ROUNDS"].flatMap { Int($0) } ?? 1

    /// `count`, times what `TEST_ROUNDS` says: `scripts/nightly` sets it, a test of every change does not.
    public static func of(_ count: Int) -> Int { count * factor }
}
