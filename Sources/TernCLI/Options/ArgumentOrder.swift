// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The order of two values on the command line, also if they belong to options of different names. The parser reads
/// values in order, and takes a position for each.
enum ArgumentOrder {
    private static let count = Atomic<Int>(0)

    static func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
}
