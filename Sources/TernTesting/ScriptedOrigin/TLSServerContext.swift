// SPDX-License-Identifier: Apache-2.0
// Safety: `pointer` is valid from `init` to `deinit` and not changed after `init`; OpenSSL counts the references of
// sessions made from it and locks its session and ticket state itself.

internal import CTernOpenSSL

/// An `SSL_CTX` of a server with one identity.
@safe
final class TLSServerContext: @unchecked Sendable {
    let pointer: OpaquePointer
    /// The protocol list in wire format. The ALPN callback borrows it, so it lives as long as the context.
    private let protocols: UnsafeMutableBufferPointer<UInt8>

    init(_ identity: Identity, _ options: OriginTLSOptions) throws(ScriptedOriginError) {
        ERR_clear_error()
        guard let context = unsafe SSL_CTX_new(TLS_server_method()) else { throw Self.error("SSL_CTX_new") }
        unsafe pointer = context
        let wire = options.applicationProtocols.flatMap {
            [UInt8(clamping: $0.utf8.count)] + Array($0.utf8.prefix(255))
        }
        unsafe protocols = .allocate(capacity: wire.count)
        _ = unsafe protocols.initialize(from: wire)
        try load(identity)
        try apply(options)
    }

    deinit {
        unsafe SSL_CTX_free(pointer)
        unsafe protocols.deallocate()
    }

    private static func error(_ step: String) -> ScriptedOriginError {
        .tls(step: step, reason: CertificateAuthorityError.drainedQueue())
    }

    private func load(_ identity: Identity) throws(ScriptedOriginError) {
        // The certificate of the key goes first whatever the chain contains; the chain follows unchanged.
        guard let leaf = PEMCertificate.all(in: identity.certificatePEM).first,
            unsafe SSL_CTX_use_certificate(pointer, leaf.pointer) == 1
        else { throw Self.error("SSL_CTX_use_certificate") }
        for (position, issuer) in PEMCertificate.all(in: identity.chainPEM).enumerated() {
            if position == 0, unsafe X509_cmp(issuer.pointer, leaf.pointer) == 0 { continue }
            let added = unsafe SSL_CTX_ctrl(pointer, SSL_CTRL_CHAIN_CERT, 1, UnsafeMutableRawPointer(issuer.pointer))
            guard added == 1 else { throw Self.error("SSL_CTX_add1_chain_cert") }
        }
        let key = unsafe PEMCertificate.read(identity.privateKeyPEM) {
            unsafe PEM_read_bio_PrivateKey($0, nil, nil, nil)
        }
        guard let key = unsafe key else { throw Self.error("PEM_read_bio_PrivateKey") }
        defer { unsafe EVP_PKEY_free(key) }
        guard unsafe SSL_CTX_use_PrivateKey(pointer, key) == 1 else { throw Self.error("SSL_CTX_use_PrivateKey") }
    }

    private func apply(_ options: OriginTLSOptions) throws(ScriptedOriginError) {
        let range = [
            (SSL_CTRL_SET_MIN_PROTO_VERSION, options.minimumVersion),
            (SSL_CTRL_SET_MAX_PROTO_VERSION, options.maximumVersion),
        ]
        for (control, version) in range {
            guard unsafe SSL_CTX_ctrl(pointer, control, version.number, nil) == 1 else {
                throw Self.error("SSL_CTX_set_min_proto_version")
            }
        }
        // Otherwise OpenSSL refuses to resume a session with a client certificate.
        unsafe SSL_CTX_set_session_id_context(pointer, Array("tern".utf8), 4)
        unsafe SSL_CTX_set_num_tickets(pointer, options.sessionTickets)
        if options.sessionTickets == 0 {
            unsafe SSL_CTX_set_options(pointer, UInt64(1) << 14)  // SSL_OP_NO_TICKET, a macro Swift cannot import
            unsafe SSL_CTX_ctrl(pointer, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        }
        var keys = options.ticketKeys
        if !keys.isEmpty {
            guard unsafe SSL_CTX_ctrl(pointer, SSL_CTRL_SET_TLSEXT_TICKET_KEYS, keys.count, &keys) == 1 else {
                throw Self.error("SSL_CTX_set_tlsext_ticket_keys")
            }
        }
        try requestClientCertificate(options.clientCertificates)
        negotiateProtocol()
    }

    private func requestClientCertificate(_ wish: OriginTLSOptions.ClientCertificates)
        throws(ScriptedOriginError)
    {
        let authorities: String
        switch wish {
        case .ignored: return
        case .requested(let pem):
            unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
            authorities = pem
        case .required(let pem):
            unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
            authorities = pem
        }
        let store = unsafe SSL_CTX_get_cert_store(pointer)
        for authority in PEMCertificate.all(in: authorities) {
            guard unsafe X509_STORE_add_cert(store, authority.pointer) == 1,
                unsafe SSL_CTX_add_client_CA(pointer, authority.pointer) == 1
            else { throw Self.error("SSL_CTX_add_client_CA") }
        }
    }

    private func negotiateProtocol() {
        guard unsafe !protocols.isEmpty else { return }
        let select: SSL_CTX_alpn_select_cb_func = { _, selected, selectedCount, offered, offeredCount, argument in
            guard let context = unsafe argument else { return SSL_TLSEXT_ERR_NOACK }
            let protocols = unsafe Unmanaged<TLSServerContext>.fromOpaque(context).takeUnretainedValue().protocols
            var match: UnsafeMutablePointer<UInt8>?
            let outcome = unsafe SSL_select_next_proto(
                &match, selectedCount, protocols.baseAddress, UInt32(protocols.count), offered, offeredCount)
            unsafe selected?.pointee = UnsafePointer(match)
            return outcome == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK
        }
        // Unretained: a context that is gone has no handshakes, because connections hold it.
        unsafe SSL_CTX_set_alpn_select_cb(pointer, select, Unmanaged.passUnretained(self).toOpaque())
    }
}
