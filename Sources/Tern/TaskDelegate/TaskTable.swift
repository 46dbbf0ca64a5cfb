// SPDX-License-Identifier: Apache-2.0
import TernEngine

/// The table of tasks and their requests, as a task's delegate sees it.
protocol TaskTable: AnyObject, Sendable {
    /// Retains the request of a task that starts.
    func hold(_ task: SessionTask)
    /// Adds the download that a task became, with the task's request.
    func add(_ download: SessionDownloadTask, inPlaceOf task: SessionTask)
    /// Removes a task that has ended or will never start.
    func remove(_ task: SessionTask)
}
