// SPDX-License-Identifier: Apache-2.0
// Safety: `session` is valid from `init` to `deinit` and owns both memory BIOs; the object stays on its connection's
// thread, so that the thread's error queue belongs to it between `ERR_clear_error` and the reading of the queue.

internal import CTernOpenSSL

/// The server side of one TLS connection without I/O: ciphertext in, plaintext out, ciphertext to send.
@safe
final class TLSServerSession {
    /// The result of an operation.
    enum Progress { case done, needsInput }

    /// Retained because the session's callbacks borrow from it.
    private let context: TLSServerContext
    private let session: OpaquePointer
    private let input: OpaquePointer
    private let output: OpaquePointer

    init?(_ context: TLSServerContext) {
        guard let session = unsafe SSL_new(context.pointer) else { return nil }
        guard let input = unsafe BIO_new(BIO_s_mem()), let output = unsafe BIO_new(BIO_s_mem()) else {
            unsafe SSL_free(session)
            return nil
        }
        unsafe SSL_set_bio(session, input, output)
        unsafe SSL_set_accept_state(session)
        self.context = context
        unsafe (self.session, self.input, self.output) = (session, input, output)
    }

    deinit { unsafe SSL_free(session) }

    func shakeHands() throws(ConnectionEnd) -> Progress {
        ERR_clear_error()
        return try progress(after: unsafe SSL_do_handshake(session))
    }

    func read(into buffer: inout [UInt8]) throws(ConnectionEnd) -> (Progress, count: Int) {
        ERR_clear_error()
        var count = 0
        let result = unsafe buffer.withUnsafeMutableBytes {
            unsafe SSL_read_ex(session, $0.baseAddress, $0.count, &count)
        }
        return (try progress(after: result), count)
    }

    /// Never blocks: a memory BIO accepts everything.
    func write(_ bytes: [UInt8]) throws(ConnectionEnd) {
        guard !bytes.isEmpty else { return }
        ERR_clear_error()
        var count = 0
        let result = unsafe bytes.withUnsafeBytes { unsafe SSL_write_ex(session, $0.baseAddress, $0.count, &count) }
        _ = try progress(after: result)
    }

    func updateKeys() throws(ConnectionEnd) {
        guard unsafe SSL_version(session) >= TLS1_3_VERSION else { return }
        ERR_clear_error()
        _ = try progress(after: unsafe SSL_key_update(session, SSL_KEY_UPDATE_REQUESTED))
        _ = try progress(after: unsafe SSL_do_handshake(session))
    }

    func notifyClose() {
        ERR_clear_error()
        unsafe SSL_shutdown(session)
    }

    func feed(_ ciphertext: [UInt8]) {
        unsafe ciphertext.withUnsafeBytes {
            var written = 0
            unsafe BIO_write_ex(input, $0.baseAddress, $0.count, &written)
        }
    }

    func takeOutput() -> [UInt8] {
        let count = unsafe BIO_ctrl_pending(output)
        guard count > 0 else { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            unsafe BIO_read_ex(output, buffer.baseAddress, buffer.count, &filled)
        }
    }

    /// The negotiated parameters; meaningful once the handshake is complete.
    func handshake(on connection: Int) -> OriginHandshake {
        OriginHandshake(
            connection: connection,
            version: unsafe String(cString: SSL_get_version(session)),
            cipher: unsafe String(cString: SSL_CIPHER_get_name(SSL_get_current_cipher(session))),
            serverName: unsafe SSL_get_servername(session, TLSEXT_NAMETYPE_host_name).map {
                unsafe String(cString: $0)
            },
            applicationProtocol: applicationProtocol,
            isResumed: unsafe SSL_session_reused(session) == 1,
            clientCertificate: clientCertificate)
    }

    private var applicationProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        unsafe SSL_get0_alpn_selected(session, &name, &count)
        guard let name = unsafe name else { return nil }
        return unsafe String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    private var clientCertificate: [UInt8]? {
        guard let certificate = unsafe SSL_get1_peer_certificate(session) else { return nil }
        defer { unsafe X509_free(certificate) }
        let count = unsafe i2d_X509(certificate, nil)
        guard count > 0 else { return nil }
        return unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, filled in
            var cursor = buffer.baseAddress
            unsafe i2d_X509(certificate, &cursor)
            filled = Int(count)
        }
    }

    private func progress(after result: Int32) throws(ConnectionEnd) -> Progress {
        if result == 1 { return .done }
        switch unsafe SSL_get_error(session, result) {
        case SSL_ERROR_WANT_READ: return .needsInput
        case SSL_ERROR_ZERO_RETURN: throw .client(.closeNotify)
        default: throw failure
        }
    }

    /// An alert of the client is in the error queue as its number plus an offset.
    private var failure: ConnectionEnd {
        let reason = Int32(truncatingIfNeeded: ERR_peek_error() & UInt(ERR_REASON_MASK))
        if let alert = UInt8(exactly: reason - SSL_AD_REASON_OFFSET) { return .client(.alert(alert)) }
        return .tls(reason: CertificateAuthorityError.drainedQueue())
    }
}
