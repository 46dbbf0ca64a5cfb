// SPDX-License-Identifier: Apache-2.0

/// What an attack did to a neighbour, as JSON on its process's standard output.
struct ScenarioReport: Codable, Sendable {
    var order: ScenarioOrder
    var neighbour = Delays()
    var control = Delays()
    var grownKilobytes = 0
    /// Requests to the hostile server that have ended.
    var ended = 0
    /// Whether all of them had, when time was up.
    var hasEnded = false
    /// Requests that were lost, or answered by what should have been seen.
    var wrong = 0
}
