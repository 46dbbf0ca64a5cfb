// SPDX-License-Identifier: Apache-2.0
public import TernIO
public import TernTLS

/// What happens to a connection of a session, each thing once. It is opened, in use and idle by turns, and closed; one that
/// could not be opened is no connection.
public enum ConnectionEvent: Sendable {
    /// It is open, and in use or idle next.
    case opened(ConnectionMetrics)
    /// It carries a request.
    case inUse
    /// It has carried a request, or none yet, and waits for the next one.
    case idle
    /// It is closed, or is not the session's any more.
    case closed(ConnectionClose)
}

/// Why a connection was closed. Metrics have it as `rawValue`.
public enum ConnectionClose: String, Sendable, Hashable {
    /// The exchange on it ended as it should, and it may carry no other one: its server or the configuration wants that.
    case used
    /// It was idle for as long as it may be, or is older than it may be.
    case expired
    /// Its server closed it while it was idle, or sent what nobody asked for.
    case peer
    /// The exchange on it failed, or was cancelled.
    case exchange
    /// The session closed it: the session ends, another connection needs its place, or trust has changed.
    case session
    /// Another owner has it: a stream.
    case handedOver = "handed-over"
}

/// A step that opens a connection.
public enum ConnectionStep: Sendable {
    /// The addresses of a host are looked up.
    case resolving(host: String)
    /// The addresses are known: from the resolver of the configuration, from rules of names, or from the system.
    case resolved(host: String, [TransportAddress])
    /// A connection to one of these addresses is attempted.
    case connecting(to: [TransportAddress])
    /// It is established.
    case connected(to: TransportAddress)
    /// A proxy is asked for a tunnel.
    case tunnelling(Proxy)
    /// A TLS handshake with this host begins.
    case securing(host: String)
    /// It is over: what was agreed on, and the verdict about the server.
    case secured(host: String, TLSInfo, ServerTrustResult?)
}

extension ConnectionStep {
    /// The step in one word, such as `resolved`.
    public var name: String {
        switch self {
        case .resolving: "resolving"
        case .resolved: "resolved"
        case .connecting: "connecting"
        case .connected: "connected"
        case .tunnelling: "tunnelling"
        case .securing: "securing"
        case .secured: "secured"
        }
    }
}

/// Is told what becomes of connections. On the reactor's thread.
protocol ConnectionWatcher: AnyObject, Sendable {
    func connection(_ number: UInt64, _ event: ConnectionEvent, at time: MonotonicInstant)
}
