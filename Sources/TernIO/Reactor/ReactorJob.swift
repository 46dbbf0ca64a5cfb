// SPDX-License-Identifier: Apache-2.0

/// A job on its way to run, and as what.
struct ReactorJob: Sendable {
    enum Owner: Sendable {
        /// A task that prefers the reactor and has no isolation, or a default actor that such a task called.
        case task
        /// An actor whose executor the reactor is.
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
