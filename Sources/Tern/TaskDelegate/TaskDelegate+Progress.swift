// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock

extension TaskDelegate {
    /// Calls `handler` with the current progress, and with each change.
    func tell(_ report: ProgressReport, on queue: DispatchQueue?, _ handler: @escaping ProgressReport.Handler) {
        report.tell(on: queue, handler)
        if state.withLock({ $0.hasReleasedClosures }) { report.releaseClosures() }
    }

    /// The same as a sequence, which ends with the request.
    func updates(
        of report: ProgressReport, _ policy: ProgressReport.Updates.Continuation.BufferingPolicy
    ) -> ProgressReport.Updates {
        let updates = report.updates(policy)
        if state.withLock({ $0.hasReleasedClosures }) { report.releaseClosures() }
        return updates
    }

    /// One of the two reports, created on demand.
    ///
    /// - Parameter counts: the current and the total number.
    func report(
        _ direction: WritableKeyPath<Progresses, ProgressReport?>, _ counts: () -> (Int64, of: Int64)
    ) -> ProgressReport {
        if let report = state.withLock({ $0.rareState?.progress[keyPath: direction] }) { return report }
        let made = ProgressReport(callbacks: context.callbacks, counts())
        let report = state.withLock { state in
            let rareState = state.makeRareState()
            if let report = rareState.progress[keyPath: direction] { return report }
            rareState.progress[keyPath: direction] = made
            return made
        }
        if report === made { control(by: made.progress) }
        return report
    }

    /// The holder of the progress may cancel, suspend and resume.
    private func control(by progress: Progress) {
        progress.isCancellable = true
        progress.isPausable = true
        progress.cancellationHandler = { [weak self] in _ = self?.cancel() }
        progress.pausingHandler = { [weak self] in self?.task?.suspend() }
        progress.resumingHandler = { [weak self] in self?.task?.resume() }
    }
}

extension TaskDelegate.State {
    /// Whether objects that the user passes from now on would not be released.
    fileprivate var hasReleasedClosures: Bool { stage == .over || rareState?.hasReleasedClosures == true }
}
