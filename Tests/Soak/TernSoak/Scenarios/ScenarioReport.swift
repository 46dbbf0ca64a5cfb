// SPDX-License-Identifier: Apache-2.0

/// What an attack did to a neighbour, as JSON on its process's standard output.
struct ScenarioReport: Codable, Sendable {
    var order: ScenarioOrder
    var neighbour = Delays()
    var control = Delays()
    var grownKilobytes = 0
    /// What the process holds when a WebSocket attack is over, more than before.
    var left: Left?
    /// How the requests to the hostile server have ended, and how many of each.
    var endings: [String: Int] = [:]
    /// Whether all of them had, when time was up.
    var hasEnded = false
    /// Requests that were lost, or answered by what should have been seen.
    var wrong = 0

    struct Left: Codable, Sendable {
        var sockets: Int
        var kilobytes: Int
    }
}
