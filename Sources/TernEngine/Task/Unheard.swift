// SPDX-License-Identifier: Apache-2.0

/// The delegate of tasks that nobody wants to hear of.
package final class Unheard: SessionTaskDelegate {
    package static let shared = Unheard()

    package func task(_ task: SessionTask, didCompleteWith error: EngineError?) {}
}
