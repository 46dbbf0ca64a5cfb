// SPDX-License-Identifier: Apache-2.0
public import TernIO
public import TernTLS

extension SessionError {
    /// Why there is no connection, or none that is trusted.
    public enum ConnectingFailure: Sendable {
        /// The maximum number of requests already waits for a connection.
        case queueFull(limit: Int)
        /// The host name has no address.
        case unresolved(ResolveError)
        /// None of the host's addresses accepted a connection.
        case unreachable(ConnectError)
        /// The TLS handshake failed. For a refused certificate, `TLSError` names the rule. Also the server's demand for
        /// a client certificate, which TLS 1.3 delivers after the handshake. A later TLS failure is
        /// ``SessionError/TransferFailure/tls(_:)``.
        case insecure(TLSError)
    }
}

extension SessionError.ConnectingFailure: CustomStringConvertible {
    var kind: SessionError.Kind {
        switch self {
        case .queueFull: .queueFull
        case .unresolved: .unresolved
        case .unreachable: .unreachable
        case .insecure(let error): error.trustFailure == nil ? .tls : .trust
        }
    }

    var rule: String {
        switch self {
        case .queueFull, .unresolved: description
        case .unreachable(let error): error.attempts.last?.error.message ?? kind.rawValue
        case .insecure(let error): error.trustFailure?.rule ?? error.description
        }
    }

    /// One line for a log.
    public var description: String {
        switch self {
        case .queueFull(let limit): "too many queued requests for this host (limit \(limit))"
        case .unresolved(let error): "no address for \(error)"
        case .unreachable(let error): error.attempts.isEmpty ? "cannot connect" : "cannot connect to \(error)"
        case .insecure(let error): "\(error)"
        }
    }
}
