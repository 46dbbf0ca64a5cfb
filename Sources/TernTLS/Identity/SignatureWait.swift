// SPDX-License-Identifier: Apache-2.0
// OpenSSL asks for a signature within a call, which ends with the signature. So the thread that made the call waits for
// it, and runs the program's closure meanwhile: a closure that blocks delays this thread and no other.
import CTernOpenSSL
import Dispatch
import TernLock

/// The signatures that one step of a handshake needs, on the thread of that step.
final class SignatureWait: TaskExecutor {
    typealias Signer = @Sendable (SigningRequest) async throws -> [UInt8]

    private struct State {
        /// Nil while the thread does not wait.
        var jobs: [UnownedJob]?
        var answer: Result<[UInt8], SigningFailure>?
        var isAbandoned = false
    }

    private let state = Lock(State())
    /// Signalled whenever there is a job, an answer or an end.
    private let changes = DispatchSemaphore(value: 0)
    private let lastFailure = Lock<SigningFailure?>(nil)

    /// The reason why a signature of this step failed; the last counts.
    var failure: SigningFailure? { lastFailure.withLock { $0 } }

    func fail(_ failure: SigningFailure) { lastFailure.withLock { $0 = failure } }

    /// Ends the wait without a signature, from any thread and at any time.
    func abandon() {
        state.withLock { $0.isAbandoned = true }
        changes.signal()
    }

    /// Asks the signer, and runs it on this thread until it has answered.
    func signature(for request: SigningRequest, by signer: @escaping Signer) -> Result<[UInt8], SigningFailure> {
        let isAbandoned = state.withLock { state in
            if !state.isAbandoned { (state.jobs, state.answer) = ([], nil) }
            return state.isAbandoned
        }
        if isAbandoned { return .failure(.abandoned) }
        let task = Task(executorPreference: self) {
            do {
                self.answer(.success(try await signer(request)))
            } catch {
                self.answer(.failure(.refused("\(error)")))
            }
        }
        while true {
            switch next() {
            case .run(let job): unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            case .wait: changes.wait()
            case .end(let result, let rest):
                if case .failure(.abandoned) = result { task.cancel() }
                for job in rest { enqueueElsewhere(job) }
                return result
            }
        }
    }

    private enum Step {
        case run(UnownedJob)
        case wait
        /// With jobs that are left, of a signer that is waited for no more.
        case end(Result<[UInt8], SigningFailure>, rest: [UnownedJob])
    }

    private func next() -> Step {
        state.withLock { state in
            if let answer = state.isAbandoned ? .failure(.abandoned) : state.answer {
                return .end(answer, rest: state.jobs.take() ?? [])
            }
            guard let job = state.jobs?.first else { return .wait }
            state.jobs?.removeFirst()
            return .run(job)
        }
    }

    private func answer(_ answer: Result<[UInt8], SigningFailure>) {
        state.withLock { $0.answer = answer }
        changes.signal()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isTaken = state.withLock { state in
            state.jobs?.append(job)
            return state.jobs != nil
        }
        if isTaken { changes.signal() } else { enqueueElsewhere(job) }
    }

    /// What a cancelled closure still does, for as long as it likes. As on the thread before: a job that another
    /// executor runs would come back here.
    private func enqueueElsewhere(_ job: UnownedJob) {
        Self.abandoned.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    private static let abandoned = DispatchQueue(label: "tern-abandoned-signers", attributes: .concurrent)
}

extension SignatureWait {
    /// Created once, and never deleted.
    private static let key: CRYPTO_THREAD_LOCAL? = {
        var key = CRYPTO_THREAD_LOCAL()
        return unsafe CRYPTO_THREAD_init_local(&key, nil) == 1 ? key : nil
    }()

    /// Runs `body`, whose signatures this object waits for.
    func perform<Value>(_ body: () -> Value) -> Value {
        guard var key = Self.key else { return body() }
        unsafe CRYPTO_THREAD_set_local(&key, Unmanaged.passUnretained(self).toOpaque())
        defer { unsafe CRYPTO_THREAD_set_local(&key, nil) }
        return body()
    }

    /// That of the step that this thread performs; nil on a thread that must not wait.
    static var current: SignatureWait? {
        guard var key, let pointer = unsafe CRYPTO_THREAD_get_local(&key) else { return nil }
        return unsafe Unmanaged.fromOpaque(pointer).takeUnretainedValue()
    }
}
