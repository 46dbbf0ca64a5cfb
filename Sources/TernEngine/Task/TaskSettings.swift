// SPDX-License-Identifier: Apache-2.0

/// What a session gives its tasks.
struct TaskSettings {
    let configuration: SessionConfiguration
    /// Without one the task fails with `failure` as soon as it is started.
    var shard: Shard<SessionTask>?
    var table: TaskTable?
    var failure = EngineError.Reason.sessionInvalidated
}
