// SPDX-License-Identifier: Apache-2.0
import TernEngine

/// What every kind of request needs of the delegate of its task.
protocol TaskDelegate: SessionTaskDelegate {
    /// The head of the response, as soon as it is there.
    var response: HTTPURLResponse? { get }
    /// There is no task, because no request could be built: handlers learn of it now.
    func completeWithoutTask()
}
