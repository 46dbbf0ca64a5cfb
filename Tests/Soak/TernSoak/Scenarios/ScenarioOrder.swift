// SPDX-License-Identifier: Apache-2.0

/// One attack: handed to its process as JSON.
struct ScenarioOrder: Codable, Sendable {
    var attack: Attack
    var connections: Int
    var seconds: Double
    /// After this time it is reported as it is, and the process ends; later if it could not work because of others.
    var patience: Double
    var server: ServerProcess.Description
    var neighbourPort: Int
}
