// SPDX-License-Identifier: Apache-2.0

/// The observations of an origin so far.
public struct OriginObservations: Sendable {
    /// Connections accepted.
    public internal(set) var connectionCount = 0
    /// Accepted connections whose socket is still open.
    public internal(set) var openConnections = 0
    /// Request heads received.
    public internal(set) var headCount = 0
    /// Requests received whole.
    public internal(set) var requestCount = 0
    /// The latest requests, complete or interrupted, in the order they ended; see
    /// ``OriginConfiguration/rememberedRequests``.
    public internal(set) var requests: [ReceivedRequest] = []
    /// Requests with an invalid head or framing, after which the origin closed the connection.
    public internal(set) var malformedRequests = 0
    /// TLS handshakes completed.
    public internal(set) var handshakes: [OriginHandshake] = []
    /// TLS handshakes that failed, or that the client interrupted.
    public internal(set) var failedHandshakes: [OriginFailedHandshake] = []
    /// Connections ended by the client, in the order they ended.
    public internal(set) var closes: [OriginClose] = []
    /// The WebSockets opened, in that order.
    public internal(set) var webSockets: [ReceivedWebSocket] = []
    /// What the steps ``OriginStep/take(_:)`` and ``OriginStep/takeHead`` have read, in order.
    public internal(set) var takenBytes: [[UInt8]] = []
    /// Bytes passed to the kernel for sending, TLS records included.
    public internal(set) var bytesSent = 0
    /// Bytes received from the kernel, TLS records included.
    public internal(set) var bytesReceived = 0
    private let rememberedRequests: Int

    init(rememberedRequests: Int) { self.rememberedRequests = rememberedRequests }

    mutating func add(_ request: ReceivedRequest) {
        if request.isComplete { requestCount += 1 }
        requests.append(request, keepingAtLeast: rememberedRequests)
    }

    /// Returns its position, which stays.
    mutating func addWebSocket(_ request: ReceivedRequest) -> Int {
        webSockets.append(ReceivedWebSocket(request: request, rememberedCount: rememberedRequests))
        return webSockets.count - 1
    }
}

extension Array {
    /// Appends, and keeps at least this number of the latest elements. Trimmed by halves, so that the cost per element
    /// stays constant.
    mutating func append(_ element: Element, keepingAtLeast minimum: Int) {
        guard minimum > 0 else { return }
        if count / 2 >= minimum { removeFirst(count / 2) }
        append(element)
    }
}

/// A completed TLS handshake.
public struct OriginHandshake: Sendable {
    /// The number of the connection, counted from 1.
    public let connection: Int
    /// Such as `TLSv1.3`.
    public let version: String
    /// Such as `TLS_AES_256_GCM_SHA384`.
    public let cipher: String
    /// The name that the client requested (SNI), if any.
    public let serverName: String?
    /// The negotiated protocol (ALPN), if any.
    public let applicationProtocol: String?
    /// Whether an earlier session was resumed.
    public let isResumed: Bool
    /// The DER of the client's certificate, if it sent one.
    public let clientCertificate: [UInt8]?
}

/// A TLS handshake that did not complete.
public struct OriginFailedHandshake: Sendable {
    /// The number of the connection, counted from 1.
    public let connection: Int
    /// How the client ended it; nil if the origin itself did.
    public let end: OriginClose.Kind?
    /// The text of OpenSSL's error queue.
    public let reason: String
}

/// The end of a connection by the client.
public struct OriginClose: Sendable {
    /// The number of the connection, counted from 1.
    public let connection: Int
    /// How it ended.
    public let kind: Kind
    /// The number of request heads received before.
    public let headCount: Int

    /// How the client ended the connection.
    public enum Kind: Sendable, Equatable {
        /// FIN, over TLS without a close_notify before it.
        case fin
        /// The close_notify alert.
        case closeNotify
        /// A fatal TLS alert, by its number (RFC 8446 §6.2).
        case alert(UInt8)
        /// RST.
        case reset
    }
}

/// Why a connection ends.
enum ConnectionEnd: Error, Equatable {
    /// The client ended it.
    case client(OriginClose.Kind)
    /// The origin was stopped.
    case stopped
    /// A step of the script ended it.
    case script
    /// The client sent bytes that the origin cannot read.
    case malformed
    /// OpenSSL failed for a reason other than the client.
    case tls(reason: String)
}
