// SPDX-License-Identifier: Apache-2.0
import TernIO

/// What a rate keeps of a host.
protocol HostRecord: AnyObject {
    /// From when on it is as good as a new one, if it is not used before.
    var isNewFrom: MonotonicInstant { get }
}

/// The records of the hosts that are in use, or were so recently that a new record would not do.
///
/// A new host costs a look at a few others, in turn: those whose records are as good as new, and that nothing else
/// references, are forgotten. Above the maximum the one of them that is new soonest is forgotten although it is too early,
/// because the number of hosts may be chosen by servers, which redirect to them.
struct HostTable<Record: HostRecord>: ~Copyable {
    /// Fewer hosts are kept in any case.
    private static var kept: Int { 1024 }
    private static var seenAtOnce: Int { 8 }

    private let maximum: Int
    private var indices: [String: Int] = [:]
    private var places: [(host: String, record: Record)] = []
    /// The place that is looked at next.
    private var hand = 0

    init(maximum: Int = 65_536) { self.maximum = maximum }

    var count: Int { places.count }

    /// The record of `host`, which is made if there is none.
    mutating func record(of host: String, at now: MonotonicInstant, orNew make: () -> Record) -> Record {
        if let index = indices[host] { return places[index].record }
        if places.count >= min(Self.kept, maximum) { forgetSome(at: now) }
        let record = make()
        indices[host] = places.count
        places.append((host, record))
        return record
    }

    /// The record of `host`; nil if there is none.
    func record(of host: String) -> Record? { indices[host].map { places[$0].record } }

    /// Calls `body` with each record.
    func forEach(_ body: (_ host: String, Record) -> Void) { for place in places { body(place.host, place.record) } }

    private mutating func forgetSome(at now: MonotonicInstant) {
        var soonest: (host: String, isNewFrom: MonotonicInstant)?
        for _ in 0..<min(Self.seenAtOnce, places.count) {
            if hand >= places.count { hand = 0 }
            let isUsed = !isKnownUniquelyReferenced(&places[hand].record)
            let (host, isNewFrom) = (places[hand].host, places[hand].record.isNewFrom)
            if !isUsed, isNewFrom <= now {
                // The last one comes in its place, and is looked at next.
                forget(host)
                continue
            }
            if !isUsed, soonest.map({ isNewFrom < $0.isNewFrom }) ?? true { soonest = (host, isNewFrom) }
            hand += 1
        }
        if let soonest, places.count >= maximum { forget(soonest.host) }
    }

    private mutating func forget(_ host: String) {
        guard let index = indices.removeValue(forKey: host), let last = places.popLast() else { return }
        guard index < places.count else { return }
        places[index] = last
        indices[last.host] = index
    }
}

extension HostTable: Sendable where Record: Sendable {}
