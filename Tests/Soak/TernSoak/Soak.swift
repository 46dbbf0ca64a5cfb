// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

/// The whole of it: the attacks by name, then the storms, then the verdict.
struct Soak {
    private let options: Options
    private let neighbour: ServerProcess
    private let chaos: ServerProcess
    private let judge: Judge

    init(_ options: Options) throws {
        self.options = options
        judge = Judge(delayLimit: options.delayLimit, isSanitized: options.sanitizer != nil)
        neighbour = try ServerProcess(.neighbour)
        chaos = try ServerProcess(.chaos)
    }

    private var neighbourPort: Int { neighbour.description.ports["plain"] ?? 0 }

    /// Whether nothing was found.
    func run() throws -> Bool {
        let start = MonotonicInstant.now
        Table.write("seed \(options.seed)")
        try Trial(chaos: chaos.description, neighbourPort: neighbourPort, judge: judge).run()
        var verdicts = try attack()
        let left = max(0, options.seconds - MonotonicInstant.now.seconds(since: start))
        let kinds = Self.storms(isShort: options.seconds < 60).filter { options.only.map($0.name.contains) ?? true }
        for kind in kinds { verdicts += try storm(kind, seconds: max(4, left / Double(kinds.count))) }
        let faults = verdicts.filter { !$0.isFine }
        Table.write(faults.isEmpty ? "nothing found" : "\(faults.count) of \(verdicts.count) verdicts are against us:")
        for fault in faults { Table.write("  \(fault.text)") }
        if options.sanitizer != nil { Table.write("a sanitizer's build: no verdict on the neighbour's delay") }
        return faults.isEmpty
    }

    private func attack() throws -> [Verdict] {
        Table.write(Table.attackHeader)
        var verdicts: [Verdict] = []
        for attack in Attack.all + Attack.webSockets where options.only.map(attack.name.contains) ?? true {
            for connections in options.seconds < 60 || attack.webSocket != nil ? [16] : [1, 16] {
                verdicts += try attempt(attack, connections)
            }
        }
        return verdicts
    }

    /// Up to three times if the machine was busy with something else: the best counts, for what the client does it does
    /// every time.
    private func attempt(_ attack: Attack, _ connections: Int) throws -> [Verdict] {
        let order = ScenarioOrder(
            attack: attack, connections: connections,
            seconds: max(0.5, options.seconds / (attack.webSocket == nil ? 60 : 120)),
            patience: options.sanitizer == nil ? 20 : 60, server: chaos.description,
            neighbourPort: neighbourPort)
        var best: ScenarioReport?
        for _ in 0..<3 {
            let (report, ending) = try Child.run(
                "scenario", order, ScenarioReport.self, within: order.seconds + 5 * order.patience + 60)
            guard let report, case .reported = ending else {
                return [Verdict(isFine: false, text: "\(attack.name) with \(connections): \(ending)")]
            }
            if judge.delay(report) < best.map(judge.delay) ?? .infinity { best = report }
            if !judge.mayBeTheMachine(report) { break }
        }
        guard let best else { return [] }
        let verdicts = judge.verdicts(on: best)
        Table.write(Table.row(best, judge.delay(best), verdicts, isSure: judge.isQuiet(best.control)))
        if options.showsJSON { try Child.tell(best) }
        return verdicts
    }

    private typealias Kind = (isSecure: Bool, hasRuntime: Bool, name: String)

    private static func storms(isShort: Bool) -> [Kind] {
        [(false, false, "storm-plain"), (true, false, "storm-tls"), (true, true, "storm-tls-runtime")]
            + (isShort ? [] : [(false, true, "storm-plain-runtime")])
    }

    private func storm(_ kind: Kind, seconds: Double) throws -> [Verdict] {
        let order = StormOrder(
            seed: options.seed, isSecure: kind.isSecure, hasRuntime: kind.hasRuntime, seconds: seconds * 0.8,
            workers: options.workers, descriptors: options.descriptors, isSanitized: options.sanitizer != nil,
            server: chaos.description, neighbourPort: neighbourPort)
        let (report, ending) = try Child.run("storm", order, StormReport.self, within: seconds + 240)
        let name = kind.name
        var verdicts: [Verdict] = []
        if case .died(let how) = ending { verdicts.append(Verdict(isFine: false, text: "\(name): \(how)")) }
        guard let report else { return verdicts }
        verdicts += judge.verdicts(on: report)
        Table.write(Table.account(of: report, name))
        if options.showsJSON { try Child.tell(report) }
        return verdicts
    }
}
