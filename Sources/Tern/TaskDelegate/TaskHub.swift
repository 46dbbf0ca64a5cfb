// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

/// The user's closures and overridden methods, as a task's delegate sees them.
protocol TaskHub: AnyObject, Sendable {
    /// Whether a retrier, a closure or an overridden method may act between the end of a task and that of its request.
    var isConcerned: Bool { get }
    /// Whether a closure or a subclass may answer server trust challenges.
    var answersServerTrustChallenges: Bool { get }
    /// The closure that provides a new body stream.
    var newStream: (@Sendable (Session, SessionTask) -> InputStream?)? { get }
    /// Calls the methods for an event. On the callback queue.
    func deliver(_ event: HubEvent, in session: Session)
    /// Calls the closure for the end of a task. On the callback queue.
    func deliverCompletion(of task: SessionTask, _ error: (any Error)?)
}
