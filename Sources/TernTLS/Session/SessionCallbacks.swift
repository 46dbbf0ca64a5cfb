// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// OpenSSL's callbacks about one connection, within a call that the session makes.
///
/// Not `Sendable`: it belongs to its session and is used on the session's thread, or while a signature is pending, on
/// that of the signature.
///
/// Safety: `connection` is owned and freed once, in `deinit`, the BIO's user before the wire; OpenSSL calls back only
/// within calls about it.
@safe final class SessionCallbacks {
    private var connection: (ssl: OpaquePointer, wire: UnsafeMutablePointer<Wire>)?
    /// Whether the client's key may take long to sign.
    var hasKeyElsewhere = false
    /// The server is trusted with the certificate, and the key has to sign before the handshake is complete.
    private(set) var isSigning = false
    let verification: PeerVerification
    private var resumption: Resumption?
    private let keyLog: TLSKeyLog?
    private(set) var wasAskedForCertificate = false
    /// Whether the server sent more certificates than the limit.
    private(set) var hasTooManyCertificates = false

    init(verification: PeerVerification, resumption: Resumption?, keyLog: TLSKeyLog?) {
        self.verification = verification
        self.resumption = resumption
        self.keyLog = keyLog
    }

    deinit {
        guard let (ssl, wire) = unsafe connection else { return }
        unsafe SSL_free(ssl)
        unsafe wire.deinitialize(count: 1)
        unsafe wire.deallocate()
    }

    /// Takes ownership of both.
    @unsafe func own(_ ssl: OpaquePointer, _ wire: UnsafeMutablePointer<Wire>) { unsafe connection = (ssl, wire) }

    /// Continues the handshake; returns what stopped it, and how many bytes are unread.
    func continueHandshake(with ciphertext: [UInt8]) -> (problem: Int32, unread: Int) {
        guard let (ssl, wire) = unsafe connection else { return (SSL_ERROR_SSL, ciphertext.count) }
        OpenSSLError.clear()
        return unsafe ciphertext.withUnsafeBytes { bytes in
            unsafe wire.pointee.lend(bytes)
            defer { unsafe wire.pointee.withdraw() }
            let result = unsafe SSL_do_handshake(ssl)
            let problem = result == 1 ? SSL_ERROR_NONE : unsafe SSL_get_error(ssl, result)
            return (problem, unsafe wire.pointee.unread)
        }
    }

    /// The client certificate callback: 1 continues, 0 refuses, -1 waits.
    @unsafe private func sendIdentity(of ssl: OpaquePointer) -> Int32 {
        wasAskedForCertificate = true
        if isSigning { return 1 }
        let answer = unsafe verification.verifyBeforeIdentity(of: ssl)
        guard answer == 1, hasKeyElsewhere else { return answer }
        isSigning = true
        return -1
    }

    /// Makes this object receive the callbacks about `ssl`; the session retains it as long as `ssl`.
    @unsafe func attach(to ssl: OpaquePointer) -> Bool {
        guard unsafe SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque()) == 1 else { return false }
        unsafe SSL_set_msg_callback(ssl) { isSent, version, kind, bytes, count, ssl, _ in
            guard isSent == 0, kind == SSL3_RT_HANDSHAKE else { return }
            unsafe SessionCallbacks.attached(to: ssl)?.received(
                UnsafeRawBufferPointer(start: bytes, count: count), version: version)
        }
        unsafe resumption?.offer(to: ssl, reaffirm: verification.reaffirms)
        guard verification.wantsStaple else { return true }
        // OpenSSL evaluates timestamps only of chains that it has verified itself, so here it does not.
        return unsafe tern_SSL_request_stapled_response(ssl) == 1
            && (!verification.wantsTimestamps || SSL_enable_ct(ssl, Int32(SSL_CT_VALIDATION_PERMISSIVE)) == 1)
    }

    /// The server has resumed the offered session: its verdict counts. False if none was offered.
    func resumed() -> Bool {
        guard let evidence = resumption?.offeredEvidence else { return false }
        verification.resume(evidence)
        return true
    }

    /// A whole handshake message, before OpenSSL reads it.
    @unsafe private func received(_ message: UnsafeRawBufferPointer, version: Int32) {
        guard let list = unsafe CertificateMessage(message, version: version), list.isTooLong else { return }
        hasTooManyCertificates = true
        // OpenSSL stops here only if it finds the message malformed. The message is in its own receive buffer, and its
        // hash has been taken.
        let bytes = unsafe UnsafeMutableRawPointer(mutating: message.baseAddress)
        unsafe bytes?.storeBytes(of: 0xff, toByteOffset: 4, as: UInt8.self)
    }

    /// The handshake is complete and the server accepted: its sessions may be kept.
    func handshakeComplete() { resumption?.handshakeComplete(under: verification.evidence) }

    func handshakeFailed() { resumption?.handshakeFailed() }
}

extension SessionCallbacks {
    /// Registers the callbacks with every session of `context`.
    @unsafe static func install(on context: OpaquePointer, keyLog: Bool, sessions: Bool) {
        // This evaluation replaces OpenSSL's; it finds its session in the store context. Returning 0 is fatal because
        // every session requires verification.
        unsafe SSL_CTX_set_cert_verify_callback(
            context,
            { store, _ in
                guard let store = unsafe store,
                    let ssl = unsafe X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
                    let callbacks = unsafe SessionCallbacks.attached(to: OpaquePointer(ssl))
                else { return 0 }
                return unsafe callbacks.verification.verify(store, of: OpaquePointer(ssl))
            }, nil)
        // Called only for sessions that requested a stapled response, and without effect on resumed ones.
        unsafe tern_SSL_CTX_set_status_callback(context) { ssl, _ in
            guard let ssl = unsafe ssl, let callbacks = unsafe SessionCallbacks.attached(to: ssl) else { return 0 }
            return unsafe SSL_session_reused(ssl) == 1 ? 1 : callbacks.verification.verifyStaple(of: ssl)
        }
        unsafe SSL_CTX_set_cert_cb(
            context,
            { ssl, _ in
                guard let ssl = unsafe ssl, let callbacks = unsafe SessionCallbacks.attached(to: ssl) else { return 1 }
                return unsafe callbacks.sendIdentity(of: ssl)
            }, nil)
        if sessions {
            // Always 0: no reference to the passed session is kept.
            unsafe SSL_CTX_sess_set_new_cb(context) { ssl, session in
                guard let session = unsafe session, let callbacks = unsafe SessionCallbacks.attached(to: ssl) else {
                    return 0
                }
                unsafe callbacks.resumption?.take(session, under: callbacks.verification.evidence)
                return 0
            }
        }
        if keyLog {
            unsafe SSL_CTX_set_keylog_callback(context) { ssl, line in
                unsafe SessionCallbacks.attached(to: ssl)?.keyLog?.record(String(cStringOrEmpty: line))
            }
        }
    }

    @unsafe private static func attached(to ssl: OpaquePointer?) -> SessionCallbacks? {
        unsafe SSL_get_ex_data(ssl, 0).map { unsafe Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }
}

/// The server's list of certificates as a handshake message (RFC 8446 §4.4.2, RFC 5246 §7.4.2), before OpenSSL reads
/// it: reading one certificate, with its key, takes longer than counting a hundred.
///
/// Safety: reads only the borrowed `bytes`, within their bounds.
@safe struct CertificateMessage {
    private let bytes: UnsafeRawBufferPointer
    private let isOfTLS13: Bool

    /// Nil for other messages.
    @unsafe init?(_ bytes: UnsafeRawBufferPointer, version: Int32) {
        guard bytes.count > 4, unsafe Int32(bytes[0]) == SSL3_MT_CERTIFICATE else { return nil }
        unsafe self.bytes = bytes
        isOfTLS13 = version == TLS1_3_VERSION
    }

    /// Whether there are more certificates than the limit. Malformed lists are left to OpenSSL.
    var isTooLong: Bool {
        var position = isOfTLS13 ? 8 : 7
        var count = 0
        while unsafe position + 3 <= bytes.count {
            count += 1
            if count > EvaluationLimit.certificates.handshakeMaximum { return true }
            position += 3 + number(at: position, length: 3)
            if isOfTLS13 { position += 2 + (unsafe position + 2 <= bytes.count ? number(at: position, length: 2) : 0) }
        }
        return false
    }

    private func number(at position: Int, length: Int) -> Int {
        unsafe bytes[position..<(position + length)].reduce(0) { $0 << 8 | Int($1) }
    }
}
