// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernEngine

/// The delegate of a stream request's task.
final class StreamTaskReceiver: TaskDelegate, TaskDelegateAdapter, StreamTaskDelegate, @unchecked Sendable {
    override var receiver: any SessionDownloadDelegate { self }

    func streamTaskDidCloseRead(_ task: StreamTask) { tell(.readClosed, task) }

    func streamTaskDidCloseWrite(_ task: StreamTask) { tell(.writeClosed, task) }

    private func tell(_ event: StreamEvent, _ task: StreamTask) {
        guard isRelayed.load(ordering: .relaxed) else { return }
        context.callbacks.post(CallbackBlock { [context] in context.hub.deliver(event, of: task, in: context.session) })
    }
}
