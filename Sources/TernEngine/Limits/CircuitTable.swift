// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernIO
import TernLock

/// The circuit breakers of a session's hosts: those to which requests were sent lately. Any thread.
final class CircuitTable: Sendable {
    /// Whether a request may be sent.
    enum Answer: Sendable {
        case pass(CircuitPass)
        case refuse(until: MonotonicInstant, isHalfOpen: Bool)
    }

    /// Guarded by the lock of the table.
    fileprivate final class Record: HostRecord, @unchecked Sendable {
        var machine: CircuitMachine

        init(_ rules: CircuitMachine.Rules) { machine = CircuitMachine(rules) }

        var isNewFrom: MonotonicInstant { machine.isNewFrom }
    }

    private let rules: CircuitMachine.Rules
    private let hosts: Lock<HostTable<Record>>

    init(_ rules: CircuitMachine.Rules, maximum: Int = 4096) {
        self.rules = rules
        hosts = Lock(HostTable(maximum: maximum))
    }

    /// A request to `host` wants to be sent.
    ///
    /// - Parameter isChosenElsewhere: whether only a success of it counts.
    func ask(_ host: String, isChosenElsewhere: Bool = false, at now: MonotonicInstant) -> Answer {
        hosts.withLock { hosts in
            let record = hosts.record(of: host, at: now) { Record(rules) }
            switch record.machine.ask(at: now) {
            case .pass(let ticket): return .pass(CircuitPass(ticket, record, self, countsFailures: !isChosenElsewhere))
            case .refuse(let until, let isHalfOpen): return .refuse(until: until, isHalfOpen: isHalfOpen)
            }
        }
    }

    /// Whether no request to `host` will pass at that time.
    func isOpen(_ host: String, at time: MonotonicInstant) -> Bool {
        hosts.withLock { $0.record(of: host)?.machine.isOpen(at: time) ?? false }
    }

    /// The hosts that have counts, or are not closed.
    func readings(at now: MonotonicInstant) -> [(host: String, reading: CircuitMachine.Reading)] {
        hosts.withLock { hosts in
            var readings: [(host: String, reading: CircuitMachine.Reading)] = []
            hosts.forEach { host, record in
                let reading = record.machine.reading(at: now)
                if reading.requests > 0 || reading.state != .closed { readings.append((host, reading)) }
            }
            return readings
        }
    }

    /// The number of hosts.
    var count: Int { hosts.withLock { $0.count } }

    fileprivate func change(_ record: Record, _ body: (inout CircuitMachine) -> Void) {
        hosts.withLock { _ in body(&record.machine) }
    }
}

/// What a request has that a breaker let pass. Releasing it without an outcome gives its place back. Any thread.
final class CircuitPass: Sendable {
    private let ticket: CircuitMachine.Ticket
    private let record: CircuitTable.Record
    private let table: CircuitTable
    private let countsFailures: Bool
    private let isOver = Atomic<Bool>(false)

    fileprivate init(
        _ ticket: CircuitMachine.Ticket, _ record: CircuitTable.Record, _ table: CircuitTable, countsFailures: Bool
    ) {
        (self.ticket, self.record, self.table, self.countsFailures) = (ticket, record, table, countsFailures)
    }

    deinit { giveBack() }

    /// The request has come to this. The first call counts.
    func end(failed: Bool, at now: MonotonicInstant) {
        if failed, !countsFailures { return giveBack() }
        if isOver.exchange(true, ordering: .relaxed) { return }
        table.change(record) { $0.ended(ticket, failed: failed, at: now) }
    }

    /// The request has come to nothing that counts.
    func giveBack() {
        if isOver.exchange(true, ordering: .relaxed) { return }
        table.change(record) { $0.abandoned(ticket) }
    }
}
