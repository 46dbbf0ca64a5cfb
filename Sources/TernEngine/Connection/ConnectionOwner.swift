// SPDX-License-Identifier: Apache-2.0

/// Whose a connection is when it carries nothing: its pool, as far as a connection knows it.
protocol ConnectionOwner: AnyObject {
    /// Whether a task waits for a connection.
    var isAwaited: Bool { get }

    /// It has carried its exchange and can carry another.
    func connectionFree(_ connection: Connection)

    /// The connection is closed, while it was idle or in the middle of an exchange.
    func connectionClosed(_ connection: Connection, wasResting: Bool)
}
