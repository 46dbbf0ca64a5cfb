// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Which of two values stood first on the command line, also where they belong to options of different names. The
/// parser reads values in order, and asks for a place with each.
enum ArgumentOrder {
    private static let count = Atomic<Int>(0)

    static func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
}
