// SPDX-License-Identifier: Apache-2.0

/// The negotiated parameters of a session.
public struct TLSInfo: Sendable, Hashable {
    /// `TLSv1.2` or `TLSv1.3`.
    public let version: String
    /// The cipher suite by OpenSSL's name, such as `TLS_AES_256_GCM_SHA384`; empty before the handshake.
    public let cipher: String
    /// Whether an earlier session was resumed, so that no certificate was sent.
    public let resumed: Bool
    /// The protocol that the server selected by ALPN, or nil if it selected none.
    public let applicationProtocol: String?
}
