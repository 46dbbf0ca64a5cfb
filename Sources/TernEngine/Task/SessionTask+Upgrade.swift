// SPDX-License-Identifier: Apache-2.0
import TernLock

// On the reactor's thread: the server has switched protocols.
extension SessionTask {
    /// Ends, and leaves the connection to a stream task.
    func takeOver(_ handover: Handover) {
        guard let shard = lifecycle.withLock({ $0.shard }) else { return }
        guard let delegate = delegate as? any UpgradeDelegate, !shard.isClosed else {
            handover.discard(on: shard.loop)
            return end(error(.sessionInvalidated, phase: .head))
        }
        let opener = StreamOpener(shard.shared, along: nil, within: deadlines.limits.connect)
        let stream = StreamTask(
            machine.hop.request, RawStream(loop: shard.loop, assistant: opener), delegate: nil, defaults: defaults,
            at: TaskPlace(shard: shard, table: table))
        opener.respondent = stream
        stream.takeOver(handover, on: shard)
        delegate.task(self, didBecome: stream)
        end(nil)
    }
}
