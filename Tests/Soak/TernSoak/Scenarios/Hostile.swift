// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernLock

/// The client's side of an attack: asks the hostile server, on the shared reactors, until time is up; then drops the
/// session.
final class Hostile: Sendable {
    private struct State {
        var session: Session?
        var pending = 0
        var endings: [String: Int] = [:]
        var wrong = 0
        var isOver = false
    }

    let order: ScenarioOrder
    private let state: Lock<State>
    private let base: String
    let request: TernEngine.URLRequest

    init(_ order: ScenarioOrder) throws {
        self.order = order
        let isSecure = order.attack.door != "plain"
        base = "\(isSecure ? "https" : "http")://127.0.0.1:\(order.server.ports[order.attack.door] ?? 0)"
        request = try Question.request(
            order.attack.isProxy ? "https://\(order.attack.behaviour).test/" : "\(base)/\(order.attack.behaviour)/1/0")
        var configuration = SessionConfiguration()
        configuration.httpMaximumConnectionsPerHost = order.connections
        configuration.maximumQueuedRequestsPerHost = 200_000
        if let count = order.attack.cookies { configuration.httpCookieStorage = Self.storage(of: count) }
        if order.attack.isCached { configuration.urlCache = TernEngine.URLCache(memoryCapacity: 1 << 24) }
        let blind = ServerTrustPolicyManager(policies: ["127.0.0.1": .disableEvaluation])
        if order.attack.isProxy {
            let port = UInt16(clamping: order.server.ports[order.attack.door] ?? 0)
            configuration.proxySettings = ProxySettings(Proxy(isSecure ? .https : .http, host: "127.0.0.1", port: port))
            configuration.proxyTrustPolicyManager = blind
        }
        let session = Session(
            configuration: configuration, serverTrustPolicyManager: order.attack.evaluates ? nil : blind)
        state = Lock(State(session: session))
    }

    private static func storage(of count: Int) -> HTTPCookieStorage {
        let storage = HTTPCookieStorage()
        for number in 0..<count {
            if let cookie = HTTPCookie(name: "a", value: "1", domain: "site\(number).com") { storage.setCookie(cookie) }
        }
        return storage
    }

    var hasEnded: Bool { state.withLock { $0.isOver && $0.pending == 0 } }
    var endedCount: Int { state.withLock { $0.endings.values.reduce(0, +) } }
    var endings: [String: Int] { state.withLock(\.endings) }
    var wrongCount: Int { state.withLock(\.wrong) }

    func attack() {
        let end = MonotonicInstant.now.advanced(by: .seconds(order.seconds))
        switch order.attack.kind {
        case .connections: keepAsking()
        case .webSockets: openWebSockets()
        case .cancelNewestFirst: giveUp { $0.reversed() }
        case .cancelOldestFirst: giveUp { $0 }
        case .cancelAtRandom: giveUp { $0.shuffled() }
        case .finWithResponse: postMany()
        case .strayBehindWork: workBetweenRequests()
        case .work: work()
        }
        let lasts = order.attack.kind == .connections || order.attack.kind == .webSockets
        if lasts {
            let lateEnd = order.attack.awaitsAnswers ? end.advanced(by: .seconds(order.patience / 2)) : end
            while MonotonicInstant.now < end || endedCount < order.connections && MonotonicInstant.now < lateEnd {
                usleep(10_000)
            }
        }
        let session = state.withLock { state in
            state.isOver = true
            return lasts ? state.session.take() : nil
        }
        withExtendedLifetime(session) {}
    }

    func noteWrong() { state.withLock { $0.wrong += 1 } }

    func begin() { state.withLock { $0.pending += 1 } }

    func end(_ error: SessionError?) {
        let ending = error.map { "\($0.phase.rawValue)/\($0.reason.kind)" } ?? "complete"
        state.withLock { state in
            state.pending -= 1
            state.endings[ending, default: 0] += 1
        }
    }

    var session: Session? { state.withLock { $0.isOver ? nil : $0.session } }

    private func keepAsking() {
        for _ in 0..<order.connections { askAgain() }
    }

    /// As a client that tries again at once does it: from the end of the last.
    private func askAgain() {
        guard let session else { return }
        begin()
        let listener = Listener { [self] error in
            askAgain()
            end(error)
        }
        session.dataTask(with: request, delegate: listener).resume()
    }

    private func giveUp(_ inOrder: ([SessionTask]) -> [SessionTask]) {
        guard let session else { return }
        let tasks = (0..<100_000).map { _ in
            begin()
            return session.dataTask(with: request, delegate: Listener { [self] error in end(error) })
        }
        for task in tasks { task.resume() }
        for task in inOrder(tasks) { task.cancel() }
    }

    /// What cannot be sent twice, to a server that closes behind every answer without a word: the client holds the end
    /// of the connection in its hands before it sends the next.
    private func postMany() {
        guard let session else { return }
        var request = request
        request.httpMethod = "POST"
        request.httpBody = Data("once".utf8)
        for _ in 0..<500 {
            begin()
            let listener = Listener { [self] error in
                if error != nil { noteWrong() }
                end(error)
            }
            session.dataTask(with: request, delegate: listener).resume()
        }
    }
}

extension Hostile {
    /// In milliseconds, of processor time.
    static let workOnTrial = 200.0

    private func work() {
        guard let executor = session?.executors.first else { return }
        begin()
        Task(executorPreference: executor) { [self] in
            let start = ThreadTime(of: ThreadTime.currentThread).working
            while Double(ThreadTime(of: ThreadTime.currentThread).working - start) < Self.workOnTrial * 1e6 {}
            end(nil)
        }
    }

    /// The server forges a response within 30 ms of its answer, the client works for 40 on its reactor before it asks
    /// again.
    private func workBetweenRequests() {
        guard let session, let executor = session.executors.first else { return }
        let base = base
        begin()
        Task(executorPreference: executor) { [self] in
            for round in 1...20 {
                guard let first = try? Question.request("\(base)/stray-later/\(round)/4"),
                    let second = try? Question.request("\(base)/good/1/4")
                else { break }
                _ = try? await session.data(for: first)
                usleep(40_000)
                let answer = try? await session.data(for: second)
                if answer?.1.value(forHTTPHeaderField: "X-Forged") != nil { noteWrong() }
            }
            end(nil)
        }
    }
}

/// Receives the end only.
private final class Listener: SessionTaskDelegate {
    private let ended: @Sendable (SessionError?) -> Void

    init(_ ended: @escaping @Sendable (SessionError?) -> Void) { self.ended = ended }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) { ended(error) }
}
