// SPDX-License-Identifier: Apache-2.0

/// The amount of one kind of work that a loop does before it polls its sockets again: about a millisecond's worth. The
/// clock is read once for every few items, so a tick with little work never reads it.
package struct TickBudget: ~Copyable {
    private static let time: Int64 = 1_000_000

    private let itemsPerClockRead: Int
    private var left: Int
    private var end: Int64?

    /// - Parameter itemsPerClockRead: small where an item may take long.
    package init(itemsPerClockRead: Int = 16) {
        self.itemsPerClockRead = itemsPerClockRead
        left = itemsPerClockRead
    }

    /// Whether there is time for one more item.
    package mutating func spend() -> Bool {
        if left > 0 {
            left -= 1
            return true
        }
        left = itemsPerClockRead - 1
        let now = MonotonicInstant.now.nanoseconds
        guard let end else {
            end = now &+ Self.time
            return true
        }
        return now < end
    }
}
