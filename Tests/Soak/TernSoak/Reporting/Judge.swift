// SPDX-License-Identifier: Apache-2.0

/// The conditions of success, in one place.
///
/// A neighbour's delay is ours as far as the reactor worked meanwhile, in processor time: that is the same on a busy
/// machine and on an idle one. What it slept instead, in a call that blocks, counts as well if the machine was idle
/// enough to tell: if the control, which is not in our process, was never late. What the control waited, and what the
/// reactor waited for a processor, is taken off.
struct Judge: Sendable {
    let delayLimit: Double
    let isSanitized: Bool

    /// What of the neighbour's worst delay is ours, in milliseconds.
    func delay(_ report: ScenarioReport) -> Double {
        let (neighbour, control) = (report.neighbour, report.control)
        return isQuiet(control) ? max(neighbour.work, neighbour.awake - control.worst) : neighbour.work
    }

    /// Whether it is worth another try: a little too late, and the control was late too.
    func mayBeTheMachine(_ report: ScenarioReport) -> Bool {
        let tooLate = delayLimit.nextUp...4 * delayLimit
        return judgesDelay(of: report) && tooLate.contains(delay(report)) && !isQuiet(report.control)
    }

    /// Whether nothing but the soak ran on the machine.
    func isQuiet(_ control: Delays) -> Bool { control.worst <= 10 }

    func verdicts(on report: ScenarioReport) -> [Verdict] {
        let order = report.order
        let name = "\(order.attack.name) with \(order.connections)"
        var verdicts = [
            Verdict(isFine: report.hasEnded, text: "\(name): requests were still running after \(order.patience) s"),
            Verdict(isFine: report.wrong == 0, text: "\(name): \(report.wrong) requests lost or wrongly answered"),
            Verdict(
                isFine: report.neighbour.failures == 0, text: "\(name): \(report.neighbour.failures) pings have failed"),
        ]
        if judgesDelay(of: report) {
            verdicts.append(
                Verdict(
                    isFine: delay(report) <= delayLimit,
                    text: "\(name): a neighbour waited \(Table.number(delay(report))) ms for our sake"))
        }
        if order.attack.limitsMemory, !isSanitized {
            let limit = 8 * 1024 + 512 * order.connections
            verdicts.append(
                Verdict(
                    isFine: report.grownKilobytes <= limit,
                    text: "\(name): memory grew by \(report.grownKilobytes) KB, and \(limit) are allowed"))
        }
        if let left = report.left {
            verdicts.append(Verdict(isFine: left.sockets <= 0, text: "\(name): \(left.sockets) sockets are still open"))
            verdicts.append(
                Verdict(
                    isFine: isSanitized || left.kilobytes <= 4 * 1024,
                    text: "\(name): \(left.kilobytes) KB are not returned"))
        }
        return verdicts
    }

    /// Work on the reactor is what that one is about.
    private func judgesDelay(of report: ScenarioReport) -> Bool {
        !isSanitized && report.order.attack.kind != .strayBehindWork
    }

    func verdicts(on report: StormReport) -> [Verdict] {
        let (counts, name) = (report.counts, report.order.name)
        // Shadow memory and quarantines grow with everything that was ever allocated.
        let percent = isSanitized ? 50 : 10
        let memory = report.before.residentKilobytes * (100 + percent) / 100 + (isSanitized ? 65_536 : 6144)
        // Hundreds of connections share a tick of the reactor here: the cost of one server does not add up to more than
        // this.
        let work = isSanitized ? .infinity : 5 * delayLimit
        return [
            Verdict(
                isFine: report.neighbour.work <= work,
                text: "\(name): a neighbour waited for \(Table.number(report.neighbour.work)) ms of work, "
                    + "\(Table.number(work)) are allowed"),
            Verdict(
                isFine: report.neighbour.failures == 0, text: "\(name): \(report.neighbour.failures) pings have failed"),
            Verdict(isFine: counts.wrongBodies == 0, text: "\(name): \(counts.wrongBodies) wrong bodies"),
            Verdict(isFine: counts.disorders == 0, text: "\(name): \(counts.disorders) events out of order"),
            Verdict(
                isFine: counts.forgedBefore == 0,
                text: "\(name): \(counts.forgedBefore) requests answered by what had lain in the socket before"),
            Verdict(isFine: counts.hangs == 0, text: "\(name): \(counts.hangs) requests overdue"),
            Verdict(isFine: report.lost == 0, text: "\(name): \(report.lost) requests never ended"),
            Verdict(
                isFine: report.after.descriptors <= report.before.descriptors,
                text: "\(name): \(report.after.descriptors) descriptors, before it \(report.before.descriptors)"),
            Verdict(
                isFine: report.after.threads <= report.before.threads,
                text: "\(name): \(report.after.threads) threads, before it \(report.before.threads)"),
            Verdict(
                isFine: report.after.residentKilobytes <= memory,
                text: "\(name): \(report.after.residentKilobytes) KB, before it \(report.before.residentKilobytes)"),
        ]
    }
}
