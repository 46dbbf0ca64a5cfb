// SPDX-License-Identifier: Apache-2.0

/// A job that waits to run, and its kind.
struct ReactorJob: Sendable {
    enum Owner: Sendable {
        /// A job of a task that prefers the reactor and has no isolation, or of a default actor that such a task
        /// called.
        case task
        /// A job of an actor whose executor is the reactor.
        case actor
    }

    private let job: UnownedJob
    private let owner: Owner

    init(_ job: UnownedJob, of owner: Owner) {
        self.job = job
        self.owner = owner
    }

    func run(on executor: UnownedTaskExecutor, isolatedTo serialExecutor: UnownedSerialExecutor) {
        switch owner {
        case .task: unsafe job.runSynchronously(on: executor)
        case .actor: unsafe job.runSynchronously(isolatedTo: serialExecutor, taskExecutor: executor)
        }
    }
}
