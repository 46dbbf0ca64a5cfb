// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

extension TLSSession {
    /// The negotiated parameters; meaningful once the handshake is complete.
    public var info: TLSInfo {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        unsafe SSL_get0_alpn_selected(ssl, &name, &length)
        return unsafe TLSInfo(
            version: String(cStringOrEmpty: SSL_get_version(ssl)),
            cipher: SSL_get_current_cipher(ssl).map { unsafe Self.name(of: $0) } ?? "",
            resumed: SSL_session_reused(ssl) == 1,
            applicationProtocol: name.map {
                unsafe String(decoding: UnsafeBufferPointer(start: $0, count: Int(length)), as: UTF8.self)
            })
    }

    @unsafe private static func name(of cipher: OpaquePointer) -> String {
        // Literals for the usual ones, so that a connection holds no copy of them.
        switch unsafe SSL_CIPHER_get_protocol_id(cipher) {
        case 0x1301: "TLS_AES_128_GCM_SHA256"
        case 0x1302: "TLS_AES_256_GCM_SHA384"
        case 0x1303: "TLS_CHACHA20_POLY1305_SHA256"
        default: unsafe String(cStringOrEmpty: SSL_CIPHER_get_name(cipher))
        }
    }
}
