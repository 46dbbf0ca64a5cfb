// SPDX-License-Identifier: Apache-2.0
import TernLock

/// The threads of a resolver, and the names that wait for them. Threads retain this object rather than the resolver, so
/// that they notice when the resolver is released.
final class ResolverThreads: Sendable {
    typealias LookUp =
        @Sendable (
            _ host: String, _ port: UInt16, _ family: AddressFamily
        ) -> Result<[TransportAddress], ResolveError>
    typealias StartThread = @Sendable (_ body: @escaping @Sendable () -> Void) throws(SystemCallError) -> Void

    /// The maximum number of concurrent look-ups, without hanging ones.
    static let limit = 16
    /// The maximum number of threads, including those whose look-ups hang.
    static let maximum = 256

    private struct State: ~Copyable, Sendable {
        var names = ResolverQueue()
        /// When each active look-up began.
        var lookUps: [Int: MonotonicInstant] = [:]
        var lastLookUp = 0
        /// All threads, and those that wait and have not been called.
        var threads = 0
        var idle = IdleThreads()
        /// A thread waits for a look-up to hang, in order to take the next name.
        var hasReserve = false
        var isClosed = false
    }

    /// The next action of a thread.
    private enum Step: Sendable {
        /// Look this name up, and start a thread for the names after it first.
        case lookUp(LookUpName, number: Int, ThreadRequest)
        /// Wait until one of the active look-ups counts as hanging.
        case waitForHang(Duration)
        case wait
        case end
    }

    /// The action for a new name.
    private enum ThreadRequest: Sendable {
        case nothing, newThread, newReserve
        /// Signals this thread, which no longer counts as idle.
        case idleThread(Semaphore)
        /// No thread can be started; these completions fail.
        case refusal([(LookUpName, [LookUpCompletion])])
    }

    private let state = Lock(State())
    private let idleTime: Duration
    private let patience: Duration
    private let lookUp: LookUp
    private let startThread: StartThread

    init(
        idleTime: Duration, patience: Duration, lookUp: @escaping LookUp,
        startThread: @escaping StartThread
    ) {
        self.idleTime = idleTime
        self.patience = patience
        self.lookUp = lookUp
        self.startThread = startThread
    }

    /// No name is accepted any more: waiting names are still answered.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            return state.idle.callAll()
        }
        for thread in idle { thread.signal() }
    }

    /// The number of threads that wait for work.
    var idleCount: Int { state.withLock { $0.idle.count } }

    /// The number of names that wait for a thread.
    var waitingCount: Int { state.withLock { $0.names.count } }

    func resolve(_ name: LookUpName, _ completion: @escaping LookUpCompletion) -> LookUpTicket {
        let now = MonotonicInstant.now
        let (number, request) = state.withLock { state -> (Int, ThreadRequest) in
            let (number, isNew) = state.names.ask(name, completion)
            return (number, isNew ? threadRequest(&state, now) : .nothing)
        }
        call(request)
        return LookUpTicket(name: name, number: number)
    }

    func cancel(_ question: LookUpTicket) {
        let completion = state.withLock { $0.names.cancel(question.name, number: question.number) }
        // Releasing it may release objects of the user.
        withExtendedLifetime(completion) {}
    }

    private func threadRequest(_ state: inout State, _ now: MonotonicInstant) -> ThreadRequest {
        let coming = state.threads - state.idle.count - state.lookUps.count - (state.hasReserve ? 1 : 0)
        guard state.names.count > coming else { return .nothing }
        if let thread = state.idle.call() { return .idleThread(thread) }
        let responsive = responsive(state, now)
        if state.threads < Self.maximum {
            if responsive + coming < Self.limit {
                state.threads += 1
                return .newThread
            }
            if state.hasReserve { return .nothing }
            state.threads += 1
            state.hasReserve = true
            return .newReserve
        }
        return responsive == 0 && state.lookUps.count == state.threads ? .refusal(removeAll(&state)) : .nothing
    }

    private func removeAll(_ state: inout State) -> [(LookUpName, [LookUpCompletion])] {
        var all: [(LookUpName, [LookUpCompletion])] = []
        while let name = state.names.next() { all.append((name, state.names.answered(name))) }
        return all
    }

    /// The number of active look-ups that do not hang.
    private func responsive(_ state: borrowing State, _ now: MonotonicInstant) -> Int {
        state.lookUps.values.count { $0.advanced(by: patience) > now }
    }

    private func call(_ request: ThreadRequest) {
        switch request {
        case .nothing: break
        case .idleThread(let thread): thread.signal()
        case .newThread: start { self.work() }
        case .newReserve:
            start {
                self.waitForHang(self.patience)
                self.work()
            }
        case .refusal(let names): refuse(names) { .tooManyHanging($0) }
        }
    }

    private func start(_ body: @escaping @Sendable () -> Void) {
        do {
            try startThread(body)
        } catch {
            failWithoutThread()
        }
    }

    private func refuse(
        _ names: [(LookUpName, [LookUpCompletion])], _ error: (_ host: String) -> ResolveError
    ) {
        for (name, completions) in names {
            for completion in completions { completion(.failure(error(name.host))) }
        }
    }

    /// No thread can be started. Running threads will take the waiting names; without any, the look-ups fail, because
    /// looking them up here would block the caller's reactor.
    private func failWithoutThread() {
        let unserved = state.withLock { state in
            state.threads -= 1
            // The thread that could not be started may have been the one that waits for hanging look-ups. The next name
            // starts one again.
            state.hasReserve = false
            return state.threads == 0 ? removeAll(&state) : []
        }
        refuse(unserved) { .noThread($0) }
    }

    private func work() {
        let calls = Semaphore()
        while true {
            switch next(calls) {
            case .lookUp(let name, let number, let request):
                call(request)
                let result = lookUp(name.host, name.port, name.family)
                let completions = state.withLock { state in
                    state.lookUps[number] = nil
                    return state.names.answered(name)
                }
                for completion in completions { completion(result) }
            case .waitForHang(let time): waitForHang(time)
            case .wait:
                if calls.wait(atMost: idleTime) { continue }
                if leave(calls) { return }
                // Called at the last moment: the signal is for this thread alone, and comes at once.
                calls.wait()
            case .end:
                return
            }
        }
    }

    private func waitForHang(_ time: Duration) {
        // This semaphore is never signalled.
        _ = Semaphore().wait(atMost: time)
        state.withLock { $0.hasReserve = false }
    }

    private func next(_ thread: Semaphore) -> Step {
        let now = MonotonicInstant.now
        return state.withLock { state in
            if state.names.isEmpty { return rest(&state, thread) }
            if responsive(state, now) >= Self.limit {
                if state.hasReserve { return rest(&state, thread) }
                state.hasReserve = true
                return .waitForHang(timeUntilNextHang(state, now))
            }
            guard let name = state.names.next() else { return rest(&state, thread) }
            state.lastLookUp += 1
            state.lookUps[state.lastLookUp] = now
            return .lookUp(name, number: state.lastLookUp, threadRequest(&state, now))
        }
    }

    private func rest(_ state: inout State, _ thread: Semaphore) -> Step {
        if state.isClosed {
            state.threads -= 1
            return .end
        }
        state.idle.append(thread)
        return .wait
    }

    private func timeUntilNextHang(_ state: borrowing State, _ now: MonotonicInstant) -> Duration {
        let ends = state.lookUps.values.map { $0.advanced(by: patience) }.filter { $0 > now }
        guard let end = ends.min() else { return .zero }
        return .nanoseconds(end.nanoseconds - now.nanoseconds)
    }

    /// Ends a thread that has waited long enough; false if it was called at the last moment.
    private func leave(_ thread: Semaphore) -> Bool {
        state.withLock { state in
            guard state.idle.leave(thread) else { return false }
            state.threads -= 1
            return true
        }
    }
}
