// SPDX-License-Identifier: Apache-2.0

/// One request as it goes out: the task's own, or one that a redirect has made of it.
struct Hop: Sendable {
    var request: URLRequest
    /// False for good once the task has left the origin it was meant for: nothing secret goes along, not even what is
    /// the session's own.
    var mayCarryCredentials = true
    /// The number of hops before it.
    var number = 0
}
