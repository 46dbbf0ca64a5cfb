// SPDX-License-Identifier: Apache-2.0
import TernLock

/// The threads of a resolver, and the names that wait for them. Threads hold this and not the resolver, so that they can
/// tell when nobody will ask any more.
final class ResolverThreads: Sendable {
    private struct Key: Hashable {
        let host: String
        let port: UInt16
    }

    private struct State {
        var waiting: [Key: [Resolver.Completion]] = [:]
        var queue: [Key] = []
        /// All threads, and those of them that wait for work and have not been called.
        var threads = 0
        var idle = 0
        var isClosed = false
    }

    /// What a thread does next.
    private enum Step {
        case lookUp(Key)
        case wait
        case end
    }

    static let limit = 16
    private let state = Lock(State())
    private let calls = Semaphore()
    private let idleTime: Duration
    private let lookUp: Resolver.LookUp
    private let startThread: Resolver.StartThread

    init(idleTime: Duration, lookUp: @escaping Resolver.LookUp, startThread: @escaping Resolver.StartThread) {
        self.idleTime = idleTime
        self.lookUp = lookUp
        self.startThread = startThread
    }

    /// Nobody will ask any more: what waits is still answered.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = 0 }
            return state.idle
        }
        for _ in 0..<idle { calls.signal() }
    }

    /// How many threads wait for work.
    var idleCount: Int { state.withLock { $0.idle } }

    func resolve(host: String, port: UInt16, _ completion: @escaping Resolver.Completion) {
        let key = Key(host: host, port: port)
        let (calls, needsThread) = state.withLock { state in
            if state.waiting[key] != nil {
                state.waiting[key]?.append(completion)
                return (false, false)
            }
            state.waiting[key] = [completion]
            state.queue.append(key)
            if state.idle > 0 {
                state.idle -= 1
                return (true, false)
            }
            guard state.threads < Self.limit else { return (false, false) }
            state.threads += 1
            return (false, true)
        }
        if calls { self.calls.signal() }
        if !needsThread { return }
        do {
            try startThread { self.work() }
        } catch {
            failWithoutThread()
        }
    }

    /// No thread to be had. Threads that run already will come to what waits; without any it fails, because looking it
    /// up here would block the caller's reactor.
    private func failWithoutThread() {
        let stranded = state.withLock { state in
            state.threads -= 1
            guard state.threads == 0 else { return [:] as [Key: [Resolver.Completion]] }
            defer { state.queue = [] }
            return state.queue.reduce(into: [:]) { $0[$1] = state.waiting.removeValue(forKey: $1) }
        }
        for (key, completions) in stranded {
            for completion in completions { completion(.failure(.noThread(key.host))) }
        }
    }

    private func work() {
        while true {
            switch next() {
            case .lookUp(let key):
                let result = lookUp(key.host, key.port)
                let completions = state.withLock { $0.waiting.removeValue(forKey: key) } ?? []
                for completion in completions { completion(result) }
            case .wait:
                if calls.wait(atMost: idleTime) { continue }
                if leave() { return }
                calls.wait()
            case .end:
                return
            }
        }
    }

    private func next() -> Step {
        state.withLock { state in
            if !state.queue.isEmpty { return .lookUp(state.queue.removeFirst()) }
            if state.isClosed {
                state.threads -= 1
                return .end
            }
            state.idle += 1
            return .wait
        }
    }

    /// Ends a thread that has waited long enough; false if one has been called at the last moment. That call is for this
    /// thread then: there are as many calls on their way as waiting threads that are not counted as idle.
    private func leave() -> Bool {
        state.withLock { state in
            guard state.idle > 0 else { return false }
            state.idle -= 1
            state.threads -= 1
            return true
        }
    }
}
