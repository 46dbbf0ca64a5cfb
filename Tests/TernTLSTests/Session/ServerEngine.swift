// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import TernTesting

/// The server's half of a handshake: OpenSSL between two memory BIOs, sharing no code with the client under test.
///
/// Safety: `ssl` and `context` are owned and freed once; the BIOs belong to `ssl`. Used by one thread.
@safe final class ServerEngine {
    struct Failure: Error { var errors: String }

    struct Options {
        var minimum: Int32 = TLS1_2_VERSION
        var maximum: Int32 = TLS1_3_VERSION
        /// ALPN: picks the first of the client's that is among these.
        var applicationProtocol: String? = "http/1.1"
        var ciphers: String?
        var groups: String?
        /// What tickets are sealed with: two servers with the same number resume each other's sessions.
        var ticketKey: UInt8?
        /// The content of the extension `signed_certificate_timestamp`.
        var timestamps: [UInt8]?
    }

    private let context: OpaquePointer
    let ssl: OpaquePointer
    private let input: OpaquePointer
    private let output: OpaquePointer
    /// The name the client sent as SNI.
    var serverName: String? {
        unsafe SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { unsafe String(cString: $0) }
    }

    init(_ identity: Identity, _ options: Options = Options()) throws {
        guard let context = unsafe SSL_CTX_new(TLS_server_method()) else { throw Failure.queued }
        unsafe self.context = context
        unsafe tern_SSL_CTX_set_min_proto_version(context, options.minimum)
        unsafe tern_SSL_CTX_set_max_proto_version(context, options.maximum)
        unsafe SSL_CTX_set_security_level(context, 0)
        if let byte = options.ticketKey {
            var keys = [UInt8](repeating: byte, count: 80)
            unsafe SSL_CTX_ctrl(context, SSL_CTRL_SET_TLSEXT_TICKET_KEYS, keys.count, &keys)
            unsafe SSL_CTX_set_session_id_context(context, &keys, 4)
        }
        if let groups = options.groups { unsafe tern_SSL_CTX_set1_groups_list(context, groups) }
        unsafe SSL_CTX_ctrl(context, SSL_CTRL_SET_DH_AUTO, 1, nil)
        if let ciphers = options.ciphers { unsafe SSL_CTX_set_cipher_list(context, ciphers) }
        let chain = unsafe Self.certificates(identity.chainPEM)
        defer { unsafe chain.forEach { unsafe X509_free($0) } }
        let key = unsafe Self.reading(identity.privateKeyPEM) { unsafe PEM_read_bio_PrivateKey($0, nil, nil, nil) }
        defer { unsafe EVP_PKEY_free(key) }
        let used = unsafe SSL_CTX_use_certificate(context, chain.first ?? nil)
        guard used == 1, unsafe SSL_CTX_use_PrivateKey(context, key) == 1 else {
            unsafe SSL_CTX_free(context)
            throw Failure.queued
        }
        unsafe chain.dropFirst().forEach { unsafe tern_SSL_CTX_add1_chain_cert(context, $0) }
        if let timestamps = options.timestamps {
            // For a client's hello, a server's hello of TLS 1.2, and a certificate of TLS 1.3.
            let places: [UInt8] = [0, 0, 0x11, 0x80]
            let length = [
                UInt8(truncatingIfNeeded: timestamps.count >> 8), UInt8(truncatingIfNeeded: timestamps.count),
            ]
            let info = places + [0, 18] + length + timestamps
            unsafe SSL_CTX_use_serverinfo_ex(context, UInt32(SSL_SERVERINFOV2), info, info.count)
        }
        if options.applicationProtocol != nil {
            unsafe SSL_CTX_set_alpn_select_cb(
                context,
                { _, chosen, length, offered, count, _ in
                    guard let offered = unsafe offered, count > 0 else { return SSL_TLSEXT_ERR_NOACK }
                    unsafe chosen?.pointee = offered + 1
                    unsafe length?.pointee = offered.pointee
                    return SSL_TLSEXT_ERR_OK
                }, nil)
        }
        unsafe ssl = SSL_new(context)
        unsafe input = BIO_new(BIO_s_mem())
        unsafe output = BIO_new(BIO_s_mem())
        unsafe SSL_set_bio(ssl, input, output)
        unsafe SSL_set_accept_state(ssl)
    }

    deinit {
        unsafe SSL_free(ssl)
        unsafe SSL_CTX_free(context)
    }

    func receive(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        unsafe BIO_write(input, bytes, Int32(bytes.count))
    }

    /// Everything the server wants to send.
    func send() -> [UInt8] {
        let count = unsafe BIO_ctrl_pending(output)
        var bytes = [UInt8](repeating: 0, count: count)
        if count > 0 { unsafe BIO_read(output, &bytes, Int32(count)) }
        return bytes
    }

    /// True when complete, false when more is needed.
    func handshake() throws -> Bool {
        ERR_clear_error()
        let result = unsafe SSL_do_handshake(ssl)
        if result == 1 { return true }
        guard unsafe SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ else { throw Failure.queued }
        return false
    }

    func write(_ bytes: [UInt8]) throws {
        ERR_clear_error()
        guard unsafe SSL_write(ssl, bytes, Int32(bytes.count)) == Int32(bytes.count) else { throw Failure.queued }
    }

    /// All plaintext that has arrived; nil after close_notify.
    func read() throws -> [UInt8]? {
        var all: [UInt8] = []
        while true {
            ERR_clear_error()
            var buffer = [UInt8](repeating: 0, count: 16384)
            let count = unsafe SSL_read(ssl, &buffer, Int32(buffer.count))
            if count > 0 {
                all += buffer.prefix(Int(count))
                continue
            }
            switch unsafe SSL_get_error(ssl, count) {
            case SSL_ERROR_WANT_READ: return all
            case SSL_ERROR_ZERO_RETURN: return all.isEmpty ? nil : all
            default: throw Failure.queued
            }
        }
    }

    func updateKey() { unsafe SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED) }

    /// Sends a session ticket with the next handshake step (TLS 1.3).
    func issueTicket() { unsafe SSL_new_session_ticket(ssl) }

    /// Sends a HelloRequest with the next handshake step (TLS 1.2).
    func requestHandshake() { unsafe SSL_renegotiate(ssl) }

    func shutdown() { unsafe SSL_shutdown(ssl) }

    private static func certificates(_ pem: String) -> [OpaquePointer] {
        var certificates: [OpaquePointer] = unsafe []
        unsafe reading(pem) { bio in
            while let certificate = unsafe PEM_read_bio_X509(bio, nil, nil, nil) {
                unsafe certificates.append(certificate)
            }
        }
        ERR_clear_error()
        return unsafe certificates
    }

    private static func reading<Result>(_ pem: String, _ body: (OpaquePointer?) -> Result) -> Result {
        let bio = unsafe BIO_new(BIO_s_mem())
        defer { unsafe BIO_free(bio) }
        unsafe BIO_write(bio, pem, Int32(pem.utf8.count))
        return unsafe body(bio)
    }
}

extension ServerEngine.Failure {
    /// What OpenSSL left in the queue.
    static var queued: Self {
        var texts: [String] = []
        while case let code = ERR_get_error(), code != 0 {
            texts.append(unsafe ERR_reason_error_string(code).map { unsafe String(cString: $0) } ?? "\(code)")
        }
        return Self(errors: texts.joined(separator: "; "))
    }
}
