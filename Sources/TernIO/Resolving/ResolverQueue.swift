// SPDX-License-Identifier: Apache-2.0

/// The names to look up, their completions, and their order. Concurrent look-ups of one name share one call.
/// Independent of threads.
struct ResolverQueue: ~Copyable, Sendable {
    private struct Entry: Sendable {
        var completions: [Int: LookUpCompletion] = [:]
        /// The position in the queue; nil during the look-up.
        var ticket: Int?
    }

    /// Entries of cancelled look-ups stay, empty, until they reach the front or are the majority.
    private struct QueuedName: Sendable {
        let name: LookUpName
        let ticket: Int
    }

    private var entries: [LookUpName: Entry] = [:]
    private var queue = WorkQueue<QueuedName>()
    /// The number of names that are waiting for a thread.
    private(set) var count = 0
    private var lastNumber = 0

    var isEmpty: Bool { count == 0 }

    /// Returns the number of the look-up, and whether the name is new in the queue.
    mutating func ask(_ name: LookUpName, _ completion: @escaping LookUpCompletion) -> (number: Int, isNew: Bool) {
        lastNumber += 1
        if entries[name] != nil {
            entries[name]?.completions[lastNumber] = completion
            return (lastNumber, false)
        }
        entries[name] = Entry(completions: [lastNumber: completion], ticket: lastNumber)
        queue.append(QueuedName(name: name, ticket: lastNumber))
        count += 1
        return (lastNumber, true)
    }

    /// Withdraws a look-up. Returns its completion, for the caller to release outside the lock.
    mutating func cancel(_ name: LookUpName, number: Int) -> LookUpCompletion? {
        guard let completion = entries[name]?.completions.removeValue(forKey: number) else { return nil }
        if let entry = entries[name], entry.completions.isEmpty, entry.ticket != nil {
            entries[name] = nil
            count -= 1
            if queue.count > 2 * count + 64 { compact() }
        }
        return completion
    }

    /// The next name to look up.
    mutating func next() -> LookUpName? {
        while let place = queue.popFirst() {
            guard entries[place.name]?.ticket == place.ticket else { continue }
            entries[place.name]?.ticket = nil
            count -= 1
            return place.name
        }
        return nil
    }

    /// Returns the completions that wait for `name`.
    mutating func answered(_ name: LookUpName) -> [LookUpCompletion] {
        guard let entry = entries.removeValue(forKey: name) else { return [] }
        return Array(entry.completions.values)
    }

    private mutating func compact() {
        var shorter = WorkQueue<QueuedName>()
        while let place = queue.popFirst() {
            if entries[place.name]?.ticket == place.ticket { shorter.append(place) }
        }
        queue = shorter
    }
}

/// The host, port and family of a look-up. Look-ups of equal names share one call.
struct LookUpName: Sendable, Hashable {
    let host: String
    let port: UInt16
    let family: AddressFamily
}

/// Identifies a look-up, so that it can be cancelled.
public struct LookUpTicket: Sendable {
    let name: LookUpName
    let number: Int
}
