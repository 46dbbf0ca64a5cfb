// SPDX-License-Identifier: Apache-2.0

/// Owns a connection that carries no exchange: its pool.
protocol ConnectionOwner: AnyObject {
    /// Whether a task waits for a connection.
    var isAwaited: Bool { get }

    /// The exchange is over, and the connection can carry another.
    func connectionFree(_ connection: Connection)

    /// The connection is closed, while it was idle or during an exchange.
    func connectionClosed(_ connection: Connection, wasResting: Bool)
}
