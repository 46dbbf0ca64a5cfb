// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import TernEngine
import TernRuntime

/// Many workers against the chaos server, twice: once to warm up, and once to compare with what was held before.
struct Storm {
    let order: StormOrder

    func run() throws -> StormReport {
        if order.hasRuntime { try TernRuntime.install() }
        limitDescriptors()
        var report = StormReport(order: order)
        let pinger = try Pinger(port: order.neighbourPort)
        let control = try Control(port: order.neighbourPort)
        var warmUp = order
        warmUp.seed = ~order.seed
        warmUp.seconds = max(1, min(10, order.seconds / 3))
        _ = blow(warmUp)
        report.before = settled(nil)
        _ = (pinger.take(), control.take())
        let start = MonotonicInstant.now
        (report.counts, report.lost) = blow(order)
        report.seconds = MonotonicInstant.now.seconds(since: start)
        (report.neighbour, report.control) = (pinger.take(), control.take())
        report.after = settled(report.before)
        pinger.end()
        return report
    }

    /// Everything it has created is gone when it returns, or was told to end.
    private func blow(_ order: StormOrder) -> (Findings.Counts, lost: Int) {
        let findings = Findings()
        let watchdog = Watchdog(findings, patience: .seconds(order.isSanitized ? 40 : 10))
        var draws = Draws(seed: order.seed)
        let sessions = Sessions(count: 8, authority: order.server.authority, draws: &draws)
        let auditor = Auditor(server: order.server, findings: findings)
        let draft = Draft(server: order.server, isSecure: order.isSecure)
        let end = MonotonicInstant.now.advanced(by: .seconds(order.seconds))
        let finished = DispatchGroup()
        for _ in 0..<order.workers {
            var worker = Worker(
                draft: draft, sessions: sessions, watchdog: watchdog, findings: findings, auditor: auditor,
                draws: Draws(seed: draws.next()))
            finished.enter()
            Task.detached {
                await worker.run(until: end)
                finished.leave()
            }
        }
        _ = finished.wait(timeout: .now() + order.seconds)
        sessions.dropAll()
        _ = finished.wait(timeout: .now() + (order.isSanitized ? 60 : 20))
        watchdog.end()
        return (findings.counts, watchdog.pendingCount)
    }

    /// The number of objects once nothing moves any more: at most `goal`, or a failure to reach it in time.
    private func settled(_ goal: Resources?) -> Resources {
        var (last, calm) = (Resources.now(), 0)
        let end = MonotonicInstant.now.advanced(by: .seconds(15))
        while MonotonicInstant.now < end {
            usleep(100_000)
            let now = Resources.now()
            calm = now.descriptors == last.descriptors && now.threads == last.threads ? calm + 1 : 0
            last = now
            guard let goal else {
                if calm >= 20 { break }
                continue
            }
            if now.descriptors <= goal.descriptors, now.threads <= goal.threads { break }
        }
        return last
    }

    private func limitDescriptors() {
        var limit = rlimit()
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(kind, &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, rlim_t(order.descriptors))
        unsafe setrlimit(kind, &limit)
    }
}
