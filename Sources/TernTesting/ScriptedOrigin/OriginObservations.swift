// SPDX-License-Identifier: Apache-2.0

/// What an origin has seen so far.
public struct OriginObservations: Sendable {
    /// Connections accepted.
    public internal(set) var connectionCount = 0
    /// Accepted connections whose socket is still open here.
    public internal(set) var openConnections = 0
    /// Request heads received.
    public internal(set) var headCount = 0
    /// Requests received whole.
    public internal(set) var requestCount = 0
    /// The latest requests, whole or cut short, in the order they ended; see ``OriginConfiguration/rememberedRequests``.
    public internal(set) var requests: [ReceivedRequest] = []
    /// Requests whose head or framing made no sense to the origin, which then closed.
    public internal(set) var malformedRequests = 0
    /// TLS handshakes completed.
    public internal(set) var handshakes: [OriginHandshake] = []
    /// TLS handshakes that failed, or that the client broke off.
    public internal(set) var failedHandshakes: [OriginFailedHandshake] = []
    /// Connections ended by the client, in the order they ended.
    public internal(set) var closes: [OriginClose] = []
    /// Bytes handed to the kernel for sending, TLS records included.
    public internal(set) var bytesSent = 0
    /// Bytes taken from the kernel, TLS records included.
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
