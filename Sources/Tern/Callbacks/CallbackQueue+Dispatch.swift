// SPDX-License-Identifier: Apache-2.0
import Dispatch
import TernEngine

extension CallbackQueue {
    /// Runs its blocks on a dispatch queue.
    ///
    /// - Parameter eventLoops: the event loops of the reactors that post here.
    convenience init(on queue: DispatchQueue, after eventLoops: EventLoops? = nil) {
        self.init(after: eventLoops) { queue.async(execute: $0) }
    }
}
