// SPDX-License-Identifier: Apache-2.0

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
