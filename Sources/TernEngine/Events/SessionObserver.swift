// SPDX-License-Identifier: Apache-2.0
public import TernIO

/// Is told what all tasks of a session do, however they were made, and what becomes of its connections: for logs, metrics,
/// traces and records. See ``SessionConfiguration/observers``.
///
/// Its methods are called on the reactor's thread, in the order of the events, before the task's delegate is called:
/// process the event quickly and return. They may do with the task and the session what any other code may.
public protocol SessionObserver: Sendable {
    /// Whether it is told of the tasks that the library starts for itself, such as the background validation of a stored
    /// response. Read once for each session; by default false.
    var observesOwnTasks: Bool { get }

    /// A task was made, and has not been started. Called where it is made, on the caller's thread and in the context of its
    /// Swift task. What this returns travels with the task, as ``TaskObservation/context``. By default nothing.
    func created(_ task: any ObservedTask) -> (any Sendable)?

    /// Something has happened to a task. By default does nothing.
    func observe(_ observation: TaskObservation)

    /// Something has happened to a connection of the session. By default does nothing.
    func observe(_ observation: ConnectionObservation)

    /// Whether ``addFields(to:_:)`` is called. Does not change; by default false.
    var addsFields: Bool { get }

    /// An attempt is about to be sent as `request`: may add fields that are its own, such as `traceparent`. They are in no
    /// later attempt, and redirects do not pass them on. On the reactor's thread, after the event of the attempt's
    /// beginning, which `observation` is. By default does nothing.
    func addFields(to request: inout URLRequest, _ observation: TaskObservation)
}

extension SessionObserver {
    /// False.
    public var observesOwnTasks: Bool { false }
    /// Returns nil.
    public func created(_ task: any ObservedTask) -> (any Sendable)? { nil }
    /// Does nothing.
    public func observe(_ observation: TaskObservation) {}
    /// Does nothing.
    public func observe(_ observation: ConnectionObservation) {}
    /// False.
    public var addsFields: Bool { false }
    /// Does nothing.
    public func addFields(to request: inout URLRequest, _ observation: TaskObservation) {}
}

/// A task as its observers see it: a ``SessionTask``.
public protocol ObservedTask: AnyObject, Sendable {
    /// Unique within the process.
    var taskIdentifier: Int { get }
    /// A description set by the program.
    var taskDescription: String? { get }
    /// The request as given, without the session's defaults.
    var originalRequest: URLRequest { get }
    /// The request that is sent now: the original request until a redirect is followed.
    var currentRequest: URLRequest? { get }
    /// The head of the final response, as soon as it has arrived.
    var response: HTTPURLResponse? { get }
    /// The times and counts of each hop; nil until the task has completed.
    var metrics: TaskMetrics? { get }
    /// The URL of a request of the task as logs and traces may have it: without userinfo, and with `REDACTED` for the value
    /// of each query item whose name indicates a secret, or is marked in the `sensitiveFields` of the request or the
    /// session. Empty without a URL.
    func redactedURL(of request: URLRequest) -> String
    /// Ends the task with `.cancelled`, in a later tick.
    func cancel()
}

/// An event of a task, and where in the task it belongs.
public struct TaskObservation: Sendable {
    /// What has happened. A question in it is closed: an answer to it has no effect.
    public let event: TaskEvent
    /// The task. A download that has taken the place of another task continues the events of that.
    public let task: any ObservedTask
    /// When it happened, by the clock of the reactor: of events of one tick the time of the tick.
    public let time: MonotonicInstant
    /// The number of hops before that of the event.
    public let hop: Int
    /// The number of the attempt in the task: 1 for the first one, 0 before it.
    public let attempt: Int
    /// Whether the library has started the task for itself.
    public let isOwn: Bool
    /// What the observer's ``SessionObserver/created(_:)`` returned.
    public private(set) var context: (any Sendable)?

    init(_ event: TaskEvent, of task: any ObservedTask, at time: MonotonicInstant, hop: Int, attempt: Int, isOwn: Bool)
    {
        (self.event, self.task, self.time) = (event, task, time)
        (self.hop, self.attempt, self.isOwn) = (hop, attempt, isOwn)
    }

    /// The same, for the observer that has this context.
    fileprivate func with(_ context: (any Sendable)?) -> TaskObservation {
        var observation = self
        observation.context = context
        return observation
    }
}

/// An event of a connection of a session.
public struct ConnectionObservation: Sendable {
    /// What has happened.
    public let event: ConnectionEvent
    /// Unique within the process.
    public let connection: UInt64
    /// When it happened.
    public let time: MonotonicInstant
}

/// Who is told what the tasks and the connections of a session do: its observers, as one object of the session.
final class SessionObservers: ConnectionWatcher {
    private let all: [any SessionObserver]
    /// Those that are told of the library's tasks, too.
    private let ofOwnTasks: [any SessionObserver]
    /// Whether one of them adds fields to attempts.
    let addsFields: Bool

    /// Nil without any.
    init?(_ observers: [any SessionObserver]) {
        if observers.isEmpty { return nil }
        all = observers
        ofOwnTasks = observers.filter(\.observesOwnTasks)
        addsFields = observers.contains(where: \.addsFields)
    }

    /// Whether anybody watches the library's tasks, or those of the program.
    func watch(own isOwn: Bool) -> Bool { !isOwn || !ofOwnTasks.isEmpty }

    /// A task was made. Returns what the observers keep with it; empty if that is nothing.
    func created(_ task: any ObservedTask, isOwn: Bool) -> [(any Sendable)?] {
        let observers = isOwn ? ofOwnTasks : all
        var contexts: [(any Sendable)?] = []
        for index in observers.indices {
            guard let context = observers[index].created(task) else { continue }
            // No allocation for observers that keep nothing.
            if contexts.isEmpty { contexts = Array(repeating: nil, count: observers.count) }
            contexts[index] = context
        }
        return contexts
    }

    /// - Parameter contexts: what `created` returned.
    func observe(_ observation: TaskObservation, _ contexts: [(any Sendable)?]) {
        let observers = observation.isOwn ? ofOwnTasks : all
        if contexts.isEmpty {
            for observer in observers { observer.observe(observation) }
        } else {
            for (observer, context) in zip(observers, contexts) { observer.observe(observation.with(context)) }
        }
    }

    func addFields(to request: inout URLRequest, _ observation: TaskObservation, _ contexts: [(any Sendable)?]) {
        for (index, observer) in (observation.isOwn ? ofOwnTasks : all).enumerated() where observer.addsFields {
            let context = contexts.indices.contains(index) ? contexts[index] : nil
            observer.addFields(to: &request, observation.with(context))
        }
    }

    func connection(_ number: UInt64, _ event: ConnectionEvent, at time: MonotonicInstant) {
        let observation = ConnectionObservation(event: event, connection: number, time: time)
        for observer in all { observer.observe(observation) }
    }
}

/// What is kept with a task for those who watch it: of each observer of the session its context, and the timelines. On the
/// reactor's thread, once the task has started.
final class TaskWatchers {
    /// As `SessionObservers.created` returned them.
    let contexts: [(any Sendable)?]
    private var timelines: [TaskTimeline.Feed] = []

    init(_ contexts: [(any Sendable)?]) { self.contexts = contexts }

    func add(_ timelines: [TaskTimeline.Feed]) { self.timelines += timelines }

    func observe(_ observation: TaskObservation) {
        for timeline in timelines { timeline.add(observation) }
        if case .completed = observation.event { timelines = [] }
    }
}
