// SPDX-License-Identifier: Apache-2.0

/// What a session negotiated.
public struct TLSInfo: Sendable, Hashable {
    /// `TLSv1.2` or `TLSv1.3`.
    public let version: String
    /// The cipher suite by OpenSSL's name, such as `TLS_AES_256_GCM_SHA384`; empty before the handshake.
    public let cipher: String
    /// Whether an earlier session was resumed, so that no certificate was sent.
    public let resumed: Bool
    /// The protocol the server picked by ALPN, or nil if it picked none.
    public let applicationProtocol: String?
}
