// SPDX-License-Identifier: Apache-2.0

/// The delegate of tasks that nobody wants to hear of.
final class Unheard: SessionTaskDelegate {
    static let shared = Unheard()

    func task(_ task: SessionTask, didCompleteWith error: EngineError?) {}
}
