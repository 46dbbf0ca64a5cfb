// SPDX-License-Identifier: Apache-2.0

extension ScriptedOrigin {
    /// What an origin has seen so far.
    public struct Observations: Sendable {
        /// Connections accepted.
        public internal(set) var connectionCount = 0
        /// Accepted connections whose socket is still open here.
        public internal(set) var openConnections = 0
        /// Request heads received.
        public internal(set) var headCount = 0
        /// Requests received whole.
        public internal(set) var requestCount = 0
        /// The latest requests, whole or cut short, in the order they ended; see ``Configuration/rememberedRequests``.
        public internal(set) var requests: [ReceivedRequest] = []
        /// Requests whose head or framing made no sense to the origin, which then closed.
        public internal(set) var malformedRequests = 0
        /// TLS handshakes completed.
        public internal(set) var handshakes: [Handshake] = []
        /// TLS handshakes that failed, or that the client broke off.
        public internal(set) var failedHandshakes: [FailedHandshake] = []
        /// Connections ended by the client, in the order they ended.
        public internal(set) var closes: [Close] = []
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

    /// A completed TLS handshake.
    public struct Handshake: Sendable {
        /// The number of the connection, counted from 1.
        public let connection: Int
        /// Such as `TLSv1.3`.
        public let version: String
        /// Such as `TLS_AES_256_GCM_SHA384`.
        public let cipher: String
        /// The name the client asked for (SNI), if any.
        public let serverName: String?
        /// The protocol agreed on (ALPN), if any.
        public let applicationProtocol: String?
        /// Whether an earlier session was resumed.
        public let isResumed: Bool
        /// The DER of the client's certificate, if it sent one.
        public let clientCertificate: [UInt8]?
    }

    /// A TLS handshake that did not complete.
    public struct FailedHandshake: Sendable {
        /// The number of the connection, counted from 1.
        public let connection: Int
        /// How the client ended it; nil if the origin itself did.
        public let end: Close.Kind?
        /// The text of OpenSSL's error queue.
        public let reason: String
    }

    /// The end of a connection by the client.
    public struct Close: Sendable {
        /// The number of the connection, counted from 1.
        public let connection: Int
        /// What was seen.
        public let kind: Kind
        /// How many request heads had come before.
        public let headCount: Int

        /// The last sign of life of the client.
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
}
