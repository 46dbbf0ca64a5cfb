// SPDX-License-Identifier: Apache-2.0

/// The delegate of tasks whose events are not wanted, and of tasks that have completed.
package final class NoOpTaskDelegate: SessionTaskDelegate {
    package static let shared = NoOpTaskDelegate()

    package func task(_ task: SessionTask, didCompleteWith error: SessionError?) {}
}
