// SPDX-License-Identifier: Apache-2.0

/// An observer made of a closure, for a program that wants some events and has no type of its own for them:
/// `configuration.observers = [EventObserver { print($0.event.name) }]`. It is told nothing of connections.
public struct EventObserver: SessionObserver {
    private let body: @Sendable (TaskObservation) -> Void

    /// Creates an observer.
    ///
    /// - Parameter body: called with each event of each task, on the reactor's thread, and by several threads at once if
    ///   the session has several reactors.
    public init(_ body: @escaping @Sendable (_ observation: TaskObservation) -> Void) { self.body = body }

    /// Calls the closure.
    public func observe(_ observation: TaskObservation) { body(observation) }
}
