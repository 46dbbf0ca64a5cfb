// SPDX-License-Identifier: Apache-2.0
internal import TernLock

/// The observations of a ``ScriptedProxy`` so far.
public struct ProxyObservations: Sendable {
    /// Connections accepted.
    public let connectionCount: Int
    /// Accepted connections whose socket is still open.
    public let openConnections: Int
    /// What clients have asked for, in the order received.
    public let requests: [ProxiedRequest]
    /// Bytes passed to the kernel for clients, TLS records included.
    public let bytesSent: Int
    /// Bytes received from clients, TLS records included.
    public let bytesReceived: Int

    init(_ log: OriginObservations, _ requests: [ProxiedRequest]) {
        (connectionCount, openConnections) = (log.connectionCount, log.openConnections)
        (bytesSent, bytesReceived) = (log.bytesSent, log.bytesReceived)
        self.requests = requests
    }
}

/// What a client has asked a ``ScriptedProxy`` for: a request with a whole URL, or a tunnel.
public struct ProxiedRequest: Sendable {
    /// How it was asked.
    public enum Kind: Sendable {
        /// A request with a whole URL.
        case http
        /// CONNECT.
        case connect
        /// SOCKS 4 with an address.
        case socks4
        /// SOCKS 4 with a name.
        case socks4a
        /// SOCKS 5.
        case socks5
    }

    /// The number of the connection, counted from 1.
    public let connection: Int
    /// How it was asked.
    public internal(set) var kind: Kind
    /// Host and port as asked for, such as `a.test:443` or `[::1]:80`; empty where SOCKS 5 did not get so far.
    public internal(set) var target = ""
    /// The name and the password with a colon between them, as received, Basic or SOCKS; of SOCKS 4 the name alone.
    public internal(set) var credential: String?
    /// The HTTP request; its content where it has a whole URL.
    public internal(set) var request: ReceivedRequest?
    /// Whether it was forwarded, or the tunnel opened.
    public internal(set) var isGranted = false
    /// Bytes passed to the server.
    public internal(set) var bytesToServer = 0
    /// Bytes of the server for the client.
    public internal(set) var bytesToClient = 0
}

/// The observations of one proxy: what is observed of every server's connections, and what clients have asked for.
final class ProxyLog: Sendable {
    let ofConnections = ObservationLog(rememberedRequests: 0)
    private let requests = Lock<[ProxiedRequest]>([])

    var observations: ProxyObservations { ProxyObservations(ofConnections.observations, requests.withLock { $0 }) }

    /// The position of a new request.
    func add(_ request: ProxiedRequest) -> Int {
        defer { ofConnections.record { _ in } }
        return requests.withLock { requests in
            requests.append(request)
            return requests.count - 1
        }
    }

    /// Changes the request at the position, and wakes those who wait for that.
    func change(_ position: Int, _ change: (inout ProxiedRequest) -> Void) {
        requests.withLock { change(&$0[position]) }
        ofConnections.record { _ in }
    }

    func target(_ position: Int) -> String { requests.withLock { $0[position].target } }

    /// False if the time has passed, or the task was cancelled, before the condition held.
    func wait(_ timeout: Duration, for condition: @escaping @Sendable (ProxyObservations) -> Bool) async -> Bool {
        await ofConnections.wait(timeout) { connections in
            condition(ProxyObservations(connections, self.requests.withLock { $0 }))
        }
    }
}
