// SPDX-License-Identifier: Apache-2.0
import Foundation

/// How often a test repeats what goes wrong by chance, if it does.
public enum Rounds {
    private static let factor = ProcessInfo.processInfo.environment["TEST_ROUNDS"].flatMap { Int($0) } ?? 1

    /// Few, for every change; `scripts/nightly` sets `TEST_ROUNDS`, and so many times as many are run.
    public static func of(_ count: Int) -> Int { count * factor }
}
