// SPDX-License-Identifier: Apache-2.0

/// What one storm has found, as JSON on its process's standard output.
struct StormReport: Codable, Sendable {
    var order: StormOrder
    var counts = Findings.Counts()
    /// Still running when everything had been released, and the time to end had passed.
    var lost = 0
    var neighbour = Delays()
    var control = Delays()
    var before = Resources()
    var after = Resources()
    var seconds = 0.0
}
