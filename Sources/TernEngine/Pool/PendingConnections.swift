// SPDX-License-Identifier: Apache-2.0

/// The pending connections, by number, and the waiter that relies on each. One that no waiter relies on is spare.
struct PendingConnections<Waiter: AnyObject>: ~Copyable {
    struct Reliance {
        let waiter: Waiter
        /// The connection was begun for another waiter, which does not need it any more.
        let isInherited: Bool
    }

    private var reliances: [Int: Reliance] = [:]
    private var numbers: [ObjectIdentifier: Int] = [:]
    private var spare: Set<Int> = []
    private var lastNumber = 0

    var count: Int { reliances.count + spare.count }

    var isEmpty: Bool { count == 0 }

    var hasSpare: Bool { !spare.isEmpty }

    /// The number of connections that a waiter relies on.
    var reliantCount: Int { reliances.count }

    /// The connection that `waiter` relies on.
    func number(for waiter: Waiter) -> Int? {
        numbers.isEmpty ? nil : numbers[ObjectIdentifier(waiter)]
    }

    /// Returns the waiter that relies on this connection.
    func reliant(on number: Int) -> Waiter? { reliances[number]?.waiter }

    /// Begins one for `waiter`.
    mutating func begin(for waiter: Waiter) -> Int {
        lastNumber += 1
        set(lastNumber, Reliance(waiter: waiter, isInherited: false))
        return lastNumber
    }

    /// Begins one that no waiter relies on.
    mutating func beginSpare() -> Int {
        lastNumber += 1
        spare.insert(lastNumber)
        return lastNumber
    }

    /// Removes `number`, and returns the waiter that relied on it.
    mutating func end(_ number: Int) -> Reliance? {
        spare.remove(number)
        return release(number)
    }

    /// Makes the connection that `waiter` relied on spare.
    mutating func leave(_ waiter: Waiter) {
        guard let number = number(for: waiter) else { return }
        _ = release(number)
        spare.insert(number)
    }

    /// Lets `waiter` rely on a spare one.
    mutating func inheritSpare(_ waiter: Waiter) -> Int? {
        guard let number = spare.popFirst() else { return nil }
        set(number, Reliance(waiter: waiter, isInherited: true))
        return number
    }

    private mutating func set(_ number: Int, _ reliance: Reliance) {
        reliances[number] = reliance
        numbers[ObjectIdentifier(reliance.waiter)] = number
    }

    private mutating func release(_ number: Int) -> Reliance? {
        guard let reliance = reliances.removeValue(forKey: number) else { return nil }
        numbers[ObjectIdentifier(reliance.waiter)] = nil
        return reliance
    }
}
