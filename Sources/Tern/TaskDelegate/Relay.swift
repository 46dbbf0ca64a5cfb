// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

/// What has happened to a task, on its way to the callback queue, where a closure or an overridden method is called.
enum TaskEvent: Sendable {
    case response(HTTPURLResponse, Question<ResponseDisposition>)
    case data(Data)
    case sent(Int64, total: Int64, expected: Int64)
    case redirect(HTTPURLResponse, URLRequest, Question<RedirectAnswer>)
    case challenge(AuthenticationChallenge, Question<ChallengeAnswer>)
    case serverTrust(ServerTrustChallenge, ServerTrustQuestion)
    case content(Question<ContentAnswer>)
    /// The task goes on as this one.
    case became(SessionDownloadTask)
    case download(SessionDownloadTask, DownloadEvent)
    case completion(EngineError?, TaskMetrics?)
}

/// What has happened to a download in particular. In bytes; a total that is not known is -1.
enum DownloadEvent: Sendable {
    /// The file goes on where an earlier download broke off.
    case resumed(at: Int64, of: Int64)
    /// So much more is in the file.
    case wrote(Int64, total: Int64, expected: Int64)
    /// The file is complete.
    case arrived(URL)
}

/// Events in the order they came. A task whose bytes wait here is held.
struct Relay {
    private var events: [(SessionTask, TaskEvent)] = []
    private var waiting = 0
    private var valve = Valve()

    /// Returns the task if it is to be held.
    mutating func add(_ event: TaskEvent, of task: SessionTask) -> SessionTask? {
        events.append((task, event))
        guard case .data(let data) = event else { return nil }
        waiting += data.count
        return valve.fill(to: waiting, from: task)
    }

    /// All that has come, and the task that may go on.
    mutating func take() -> (events: [(SessionTask, TaskEvent)], held: SessionTask?) {
        defer { (events, waiting) = ([], 0) }
        return (events, valve.drain())
    }
}
