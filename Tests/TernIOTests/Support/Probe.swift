// SPDX-License-Identifier: Apache-2.0
import TernIO

/// A handler that records its calls and lets a task on the same loop wait for it.
final class Probe: ReadinessHandler {
    private(set) var calls: [Readiness] = []
    private var unseen: [Readiness] = []
    private var waiting: CheckedContinuation<Readiness, Never>?
    private let react: (Readiness) -> Void
    private let atEnd: () -> Void

    init(react: @escaping (Readiness) -> Void = { _ in }, atEnd: @escaping () -> Void = {}) {
        self.react = react
        self.atEnd = atEnd
    }

    deinit { atEnd() }

    func ready(_ readiness: Readiness) {
        calls.append(readiness)
        if let waiting {
            self.waiting = nil
            waiting.resume(returning: readiness)
        } else {
            unseen.append(readiness)
        }
        react(readiness)
    }

    /// The next call that was not waited for yet.
    func next() async -> Readiness {
        if !unseen.isEmpty { return unseen.removeFirst() }
        return await withCheckedContinuation { waiting = $0 }
    }
}
