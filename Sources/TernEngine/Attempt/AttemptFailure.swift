// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// Why an attempt has no response: one value for every cause. It goes from the attempt to the response source of its hop,
/// to the policies, and to the task; who answers in its place says for which kinds.
struct AttemptFailure: Sendable {
    enum Kind: Sendable, Hashable {
        /// The name of the server, or of a proxy, has no address.
        case unresolved
        /// The egress policy refuses the server.
        case addressRefused
        /// The circuit breaker holds requests to the server back, because it failed too often.
        case held
        /// No connection was opened, or a proxy opened no tunnel.
        case unconnected
        /// TLS failed: the server is not the one it should be, or that cannot be known.
        case untrusted
        case timedOut(SessionError.TimeLimit)
        /// The connection was lost before the head of a response.
        case lost
        /// What came in place of a head violates HTTP/1.1.
        case malformed
        /// A limit of this client refused the attempt.
        case limited
        /// A stored response cannot be read.
        case damaged
        /// This side cannot make the attempt, or ends it: an invalid request, a failing body, a lack of descriptors, a
        /// cancellation.
        case local
    }

    let reason: SessionError.Reason
    let phase: SessionError.Phase
    /// The peer's address, if there was a connection and it does not belong to the task.
    var remoteAddress: TransportAddress?
    var evidence = Evidence()

    var kind: Kind {
        switch reason {
        case .request, .download, .response, .cancelled, .sessionInvalidated, .system, .program: .local
        case .timedOut(let limit): .timedOut(limit)
        case .connecting(let failure): Self.kind(failure)
        case .transfer(let failure): Self.kind(failure)
        }
    }

    private static func kind(_ failure: SessionError.ConnectingFailure) -> Kind {
        switch failure {
        case .queueFull: .limited
        case .circuitOpen: .held
        case .egressRefused: .addressRefused
        case .unresolved: .unresolved
        case .unreachable, .dialer, .proxy: .unconnected
        case .socketOption, .invalidProxy: .local
        case .insecure: .untrusted
        }
    }

    private static func kind(_ failure: SessionError.TransferFailure) -> Kind {
        switch failure {
        case .connectionLost: .lost
        case .tls: .untrusted
        case .malformedResponse: .malformed
        case .damagedCache: .damaged
        case .bodyTooLarge, .outOfMemory, .memoryQuotaExceeded: .limited
        default: .local
        }
    }
}

extension AttemptFailure {
    /// The hosts to which this machine has no path: nil if the failure has another cause, and the world where no host is
    /// known.
    var unreachableHosts: [String?]? {
        guard case .connecting(let failure) = reason else { return nil }
        switch failure {
        case .queueFull, .circuitOpen, .egressRefused, .dialer, .socketOption, .insecure, .proxy, .invalidProxy:
            return nil
        case .unresolved(let error):
            guard error.reason == .temporaryFailure else { return nil }
            return PathMonitor(host: nil).path == .none ? [nil] : nil
        case .unreachable(let error):
            guard !error.attempts.isEmpty, error.attempts.allSatisfy(\.error.isAboutMissingPath) else { return nil }
            let hosts = error.attempts.compactMap(\.address.host)
            return hosts.contains(where: PathMonitor.isLoopback) || hosts.isEmpty ? nil : hosts
        }
    }
}

extension AttemptFailure.Kind {
    /// Whether a gateway would answer with a 502, 503 or 504 for it: the server cannot be asked, or does not answer (RFC
    /// 5861 §4). A circuit breaker that is open stands for the failures that opened it. A refused certificate or address is
    /// a verdict about the server, which nothing must hide.
    var isFailureOfServer: Bool {
        switch self {
        case .timedOut(let limit): limit.isOfServer
        case .unresolved, .held, .unconnected, .lost, .malformed: true
        case .addressRefused, .untrusted, .limited, .damaged, .local: false
        }
    }

    /// Whether it is an end of the exchange alone, by its peer, rather than of the task.
    var isEndOfExchange: Bool {
        switch self {
        case .untrusted, .timedOut(.idle), .timedOut(.head), .lost, .malformed: true
        case .unresolved, .addressRefused, .held, .unconnected, .timedOut, .limited, .damaged, .local: false
        }
    }
}
