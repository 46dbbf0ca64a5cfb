// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock

extension TaskDelegate {
    /// Has `handler` told of what there is already, and of what comes.
    func tell(_ report: ProgressReport, on queue: DispatchQueue?, _ handler: @escaping ProgressReport.Handler) {
        report.tell(on: queue, handler)
        if state.withLock({ $0.hasLetGo }) { report.letGo() }
    }

    /// The same as a sequence, which ends with the request.
    func updates(
        of report: ProgressReport, _ policy: ProgressReport.Updates.Continuation.BufferingPolicy
    ) -> ProgressReport.Updates {
        let updates = report.updates(policy)
        if state.withLock({ $0.hasLetGo }) { report.letGo() }
        return updates
    }

    /// One of the two reports, made when it is asked for.
    ///
    /// - Parameter counts: how much there is so far, and will be.
    func report(
        _ direction: WritableKeyPath<Progresses, ProgressReport?>, _ counts: () -> (Int64, of: Int64)
    ) -> ProgressReport {
        if let report = state.withLock({ $0.aside?.progress[keyPath: direction] }) { return report }
        let made = ProgressReport(callbacks: context.callbacks, counts())
        let report = state.withLock { state in
            let aside = state.needAside()
            if let report = aside.progress[keyPath: direction] { return report }
            aside.progress[keyPath: direction] = made
            return made
        }
        if report === made { steer(by: made.progress) }
        return report
    }

    /// The holder of the progress may cancel, suspend and resume.
    private func steer(by progress: Progress) {
        progress.isCancellable = true
        progress.isPausable = true
        progress.cancellationHandler = { [weak self] in _ = self?.cancel() }
        progress.pausingHandler = { [weak self] in self?.task?.suspend() }
        progress.resumingHandler = { [weak self] in self?.task?.resume() }
    }
}

extension TaskDelegate.State {
    /// Whether what the user gives from now on would not be released.
    fileprivate var hasLetGo: Bool { stage == .over || aside?.hasLetGo == true }
}
