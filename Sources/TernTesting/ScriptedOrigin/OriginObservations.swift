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
    /// Bytes passed to the kernel for sending, TLS records included.
    public internal(set) var bytesSent = 0
    /// Bytes received from the kernel, TLS records included.
    public internal(set) var bytesReceived = 0
    private let rememberedRequests: Int

    init(rememberedRequests: Int) { self.rememberedRequests = rememberedRequests }

    mutating func add(_ request: ReceivedRequest) {
        if request.isComplete { requestCount += 1 }
        guard rememberedRequests > 0 else { return }
        // Trimmed by halves, so that the cost per request stays constant.
        if requests.count >= 2 * rememberedRequests { requests.removeFirst(rememberedRequests) }
        requests.append(request)
    }
}
