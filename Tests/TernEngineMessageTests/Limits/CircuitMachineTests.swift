// SPDX-License-Identifier: Apache-2.0
import TernIO
import Testing

@testable import TernEngine

/// Dialogues: at this second this happens, and that is the answer. `ask a` is a request named `a`, which ends with `ok
/// a`, `fail a` or `drop a`; `reads` has the state and the failures of the requests in the window.
@Suite struct CircuitMachineTests {
    private static func rules(
        window: Double = 10, minimum: Int = 4, rate: Double = 0.5, open: Double = 5, most: Double = 20, probes: Int = 1
    ) -> CircuitMachine.Rules {
        CircuitMachine.Rules(
            window: .seconds(window), minimumRequests: minimum, failureRate: rate, openTime: .seconds(open),
            maximumOpenTime: .seconds(most), probes: probes)
    }

    struct Dialogue: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var rules = CircuitMachineTests.rules()
        let lines: String
    }

    private static let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)

    /// The lines with the answers that the machine gives.
    private func play(_ dialogue: Dialogue) -> String {
        var machine = CircuitMachine(dialogue.rules)
        var tickets: [Substring: CircuitMachine.Ticket] = [:]
        return dialogue.lines.split(separator: "\n").map { line -> String in
            let words = line.split(separator: " ")
            let said = words.prefix { $0 != "→" }
            let now = Self.start.advanced(by: .seconds(Double(said[0]) ?? 0))
            let name = said.last ?? ""
            var answer: String?
            switch said[1] {
            case "ask":
                switch machine.ask(at: now) {
                case .pass(let ticket):
                    tickets[name] = ticket
                    answer = "pass"
                case .refuse(let until, let isHalfOpen):
                    answer = "refuse until \(Int(until.seconds(since: Self.start)))\(isHalfOpen ? ", half-open" : "")"
                }
            case "failures":
                for _ in 0..<(Int(name) ?? 0) {
                    if case .pass(let ticket) = machine.ask(at: now) { machine.ended(ticket, failed: true, at: now) }
                }
            case "successes":
                for _ in 0..<(Int(name) ?? 0) {
                    if case .pass(let ticket) = machine.ask(at: now) { machine.ended(ticket, failed: false, at: now) }
                }
            case "ok": if let ticket = tickets[name] { machine.ended(ticket, failed: false, at: now) }
            case "fail": if let ticket = tickets[name] { machine.ended(ticket, failed: true, at: now) }
            case "drop": if let ticket = tickets[name] { machine.abandoned(ticket) }
            case "reads":
                let reading = machine.reading(at: now)
                answer = "\(reading.state) \(reading.failures)/\(reading.requests)"
            default: answer = "what?"
            }
            return said.joined(separator: " ") + (answer.map { " → \($0)" } ?? "")
        }.joined(separator: "\n")
    }

    private static let dialogues = [
        Dialogue(
            testDescription: "too few requests say nothing; enough of them, half failed, open it",
            lines: """
                0 failures 2
                0 successes 1
                0 reads → closed 2/3
                1 successes 1
                1 reads → open 2/4
                2 ask a → refuse until 6
                """),
        Dialogue(
            testDescription: "a share below the rate leaves it closed",
            lines: """
                0 successes 5
                0 failures 4
                0 reads → closed 4/9
                0 failures 1
                0 reads → open 5/10
                """),
        Dialogue(
            testDescription: "what is older than the window does not count",
            rules: rules(rate: 0.8),
            lines: """
                0 failures 3
                5 successes 2
                9 reads → closed 3/5
                10 reads → closed 0/2
                15 failures 1
                15 reads → closed 1/1
                """),
        Dialogue(
            testDescription: "a probe that succeeds closes it, and the counts begin at zero",
            lines: """
                0 failures 4
                4 ask a → refuse until 5
                5 ask a → pass
                5 reads → halfOpen 4/4
                6 ask b → refuse until 10, half-open
                7 ok a
                7 reads → closed 0/0
                7 failures 3
                7 reads → closed 3/3
                """),
        Dialogue(
            testDescription:
                "a probe that fails opens it for twice the time, up to a maximum, and closing forgets that",
            lines: """
                0 failures 4
                5 ask a → pass
                6 fail a
                6 ask b → refuse until 16
                16 ask c → pass
                16 fail c
                16 ask d → refuse until 36
                36 ask e → pass
                36 fail e
                36 ask f → refuse until 56
                56 ask g → pass
                56 ok g
                57 failures 4
                57 ask h → refuse until 62
                """),
        Dialogue(
            testDescription: "a probe without an outcome gives its place back",
            lines: """
                0 failures 4
                5 ask a → pass
                5 ask b → refuse until 10, half-open
                6 drop a
                6 drop a
                6 ask c → pass
                6 ask d → refuse until 11, half-open
                6 drop a
                6 ask d → refuse until 11, half-open
                """),
        Dialogue(
            testDescription: "a probe that never ends loses its place, and its late outcome still counts",
            lines: """
                0 failures 4
                5 ask a → pass
                10 ask b → pass
                10 ask c → refuse until 15, half-open
                11 ok a
                11 reads → closed 0/0
                11 fail b
                11 reads → closed 0/0
                """),
        Dialogue(
            testDescription: "several probes must succeed, and no more of them are on their way",
            rules: rules(probes: 3),
            lines: """
                0 failures 4
                5 ask a → pass
                6 ask b → pass
                7 ask c → pass
                7 ask d → refuse until 10, half-open
                8 ok a
                8 ask d → refuse until 11, half-open
                8 drop b
                8 ask e → pass
                8 ok c
                8 reads → halfOpen 4/6
                8 ok e
                8 reads → closed 0/0
                """),
        Dialogue(
            testDescription: "one of several probes that fails opens it, and the others do not count any more",
            rules: rules(probes: 2),
            lines: """
                0 failures 4
                5 ask a → pass
                5 ask b → pass
                6 fail a
                7 ok b
                7 fail b
                7 ask c → refuse until 16
                16 ask d → pass
                16 ok b
                16 ask e → pass
                16 ask f → refuse until 26, half-open
                """),
        Dialogue(
            testDescription: "what was sent before it opened says nothing afterwards",
            lines: """
                0 ask a → pass
                0 ask b → pass
                0 ask c → pass
                0 failures 4
                1 ok a
                5 ask d → pass
                5 fail b
                5 reads → halfOpen 4/4
                6 ok d
                6 fail c
                6 reads → closed 0/0
                """),
        Dialogue(
            testDescription: "a rate of 0 opens with one failure, and not without",
            rules: rules(rate: 0),
            lines: """
                0 successes 9
                0 reads → closed 0/9
                0 failures 1
                0 reads → open 1/10
                """),
        Dialogue(
            testDescription: "a rate above 1 opens when nothing succeeds",
            rules: rules(rate: 7),
            lines: """
                0 successes 1
                0 failures 9
                0 reads → closed 9/10
                11 failures 4
                11 reads → open 4/4
                """),
        Dialogue(
            testDescription: "a rate that is no number is 1",
            rules: rules(rate: .nan),
            lines: """
                0 failures 3
                0 successes 1
                0 reads → closed 3/4
                20 failures 4
                20 reads → open 4/4
                """),
        Dialogue(
            testDescription: "numbers of nothing are the least there can be",
            rules: rules(window: -1, minimum: .min, rate: -1, open: -1, most: -1, probes: .min),
            lines: """
                0 failures 1
                0 reads → open 1/1
                1 ask a → pass
                1 ok a
                1 reads → closed 0/0
                """),
        Dialogue(
            testDescription: "numbers without end are the most there can be",
            rules: rules(window: 1e18, minimum: 2, rate: .infinity, open: 1e18, most: 1e18, probes: 1),
            lines: """
                0 failures 2
                80000 ask a → refuse until 86400
                86400 ask a → pass
                86400 fail a
                86400 ask b → refuse until 172800
                """),
        Dialogue(
            testDescription: "of a time that is out of order the counts stay",
            lines: """
                9 failures 2
                5 successes 1
                9 reads → closed 2/3
                4 failures 1
                8 reads → open 3/4
                """),
        Dialogue(
            testDescription: "a clock that is set back far sets the counts to zero, and prolongs no wait",
            lines: """
                500 failures 3
                0 failures 1
                0 reads → closed 1/1
                0 failures 3
                0 ask a → refuse until 5
                -300 ask a → refuse until -295
                -295 ask a → pass
                -900 ask b → refuse until -895, half-open
                -895 ask b → pass
                """),
        Dialogue(
            testDescription: "a clock that is set forward far ends a window and a wait",
            lines: """
                0 failures 3
                1e8 reads → closed 0/0
                1e8 failures 4
                2e8 ask a → pass
                3e8 ask b → pass
                """),
    ]

    @Test(arguments: dialogues)
    func `what happens is followed by this`(_ dialogue: Dialogue) {
        #expect(play(dialogue) == dialogue.lines)
    }

    @Test(arguments: [Int64.min, -1, 0, .max])
    func `the ends of time are times`(_ nanoseconds: Int64) {
        let ends: [Int64] = [.min, 0, .max, nanoseconds]
        var machine = CircuitMachine(Self.rules(minimum: 1))
        for first in ends {
            for second in ends {
                let (first, second) = (MonotonicInstant(nanoseconds: first), MonotonicInstant(nanoseconds: second))
                guard case .pass(let ticket) = machine.ask(at: first) else { continue }
                machine.ended(ticket, failed: true, at: second)
                _ = (machine.reading(at: first), machine.isNewFrom)
            }
        }
        // However it has come to that, a wait ends.
        _ = machine.ask(at: MonotonicInstant(nanoseconds: 0))
        if case .refuse(let until, _) = machine.ask(at: MonotonicInstant(nanoseconds: 0)) {
            #expect(until <= MonotonicInstant(nanoseconds: 0).advanced(by: .seconds(20)))
        }
    }
}
