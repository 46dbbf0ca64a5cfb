// SPDX-License-Identifier: Apache-2.0

/// What one storm is to do: handed to its process as JSON.
struct StormOrder: Codable, Sendable {
    var seed: UInt64
    var isSecure: Bool
    /// Whether the workers run on the reactors.
    var hasRuntime: Bool
    var seconds: Double
    var workers: Int
    /// The limit on descriptors that the storm runs under.
    var descriptors: Int
    /// Sanitizers make everything slower and larger.
    var isSanitized: Bool
    var server: ServerProcess.Description
    var neighbourPort: Int

    var name: String { (isSecure ? "TLS storm" : "plain storm") + (hasRuntime ? " with the runtime" : "") }
}
