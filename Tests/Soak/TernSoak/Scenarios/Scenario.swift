// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import TernEngine

/// Runs an attack beside a neighbour that is pinged all the while, in a process of its own.
///
/// A reactor that works for the attacker cannot be stopped: when the time is over, the neighbour's delay until then is
/// the result, and the process ends where it is.
final class Scenario: Sendable {
    private let order: ScenarioOrder
    private let pinger: Pinger
    private let hostile: Hostile

    init(_ order: ScenarioOrder) throws {
        self.order = order
        pinger = try Pinger(port: order.neighbourPort)
        hostile = try Hostile(order)
    }

    /// Processor time counts once, time on the clock a fifth: on a busy machine the client is not to blame for that.
    private func hasPatience(since start: MonotonicInstant) -> Bool {
        let waited = MonotonicInstant.now.seconds(since: start) - order.seconds
        return waited < order.patience || waited < 5 * order.patience && ThreadTime.ofProcess < order.patience
    }

    func run() throws {
        let control = try Control(port: order.neighbourPort)
        usleep(200_000)
        _ = (pinger.take(), control.take())
        let (before, sockets) = (Resources.now().residentKilobytes, Resources.sockets)
        let attack = Thread { self.hostile.attack() }
        attack.start()
        let start = MonotonicInstant.now
        var grown = 0
        while !hostile.hasEnded, hasPatience(since: start) {
            usleep(50_000)
            grown = max(grown, Resources.now().residentKilobytes - before)
        }
        var report = ScenarioReport(order: order)
        (report.neighbour, report.control) = (pinger.take(), control.take())
        report.grownKilobytes = grown
        report.endings = hostile.endings
        report.hasEnded = hostile.hasEnded
        report.wrong = hostile.wrongCount
        if order.attack.webSocket != nil, report.hasEnded { report.left = left(sockets, before) }
        try Child.tell(report)
        // A sanitizer reports at exit; with a reactor that is stuck there is no orderly exit.
        report.hasEnded ? exit(0) : _exit(0)
    }

    /// What is still held of an attack that is over, once nothing moves any more.
    private func left(_ sockets: Int, _ kilobytes: Int) -> ScenarioReport.Left {
        let end = MonotonicInstant.now.advanced(by: .seconds(3))
        while Resources.sockets > sockets, MonotonicInstant.now < end { usleep(20_000) }
        return ScenarioReport.Left(
            sockets: Resources.sockets - sockets, kilobytes: Resources.now().residentKilobytes - kilobytes)
    }
}
