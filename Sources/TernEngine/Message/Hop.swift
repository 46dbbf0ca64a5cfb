// SPDX-License-Identifier: Apache-2.0

/// One request as it is sent: the task's own, or one that a redirect has made of it.
struct Hop: Sendable {
    var request: URLRequest
    /// Permanently false once the task has left its first origin: no secret is sent, not even the session's own.
    var mayCarryCredentials = true
    /// The number of hops before it.
    var number = 0

    /// Whether the URL names a server that the hop can be sent to.
    var hasServer: Bool { (try? request.origin()) != nil }
}
