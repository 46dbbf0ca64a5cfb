// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// An `SSL_CTX`: the shared state of the sessions of one configuration. Any thread may use it.
///
/// Safety: the pointer is owned, never nil, configured only in `init` and freed once in `deinit`; OpenSSL counts the
/// references of its sessions and locks the shared state.
@safe public final class TLSContext: @unchecked Sendable {
    /// The configuration of the context.
    public let configuration: TLSSettings
    let pointer: OpaquePointer
    /// The sessions that may be resumed; nil if resumption is off.
    let sessions: SessionCache?

    /// Creates a context. With system anchors the first one in the process also reads the system's certificate bundle,
    /// which takes some 20 ms: create it where blocking is harmless.
    ///
    /// - Throws: `invalidConfiguration` or `outOfResources`.
    public init(_ configuration: TLSSettings) throws(TLSError) {
        OpenSSLError.clear()
        guard let context = unsafe SSL_CTX_new(TLS_client_method()) else { throw .withQueue(.outOfResources) }
        unsafe pointer = context
        self.configuration = configuration
        sessions = configuration.resumesSessions ? SessionCache() : nil
        try setVersions()
        try setAlgorithms()
        try setApplicationProtocols()
        setOptions()
        if let identity = configuration.identity { try use(identity) }
        configuration.anchors.load()
        unsafe SessionCallbacks.install(on: context, keyLog: configuration.keyLog != nil, sessions: sessions != nil)
        unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
    }

    deinit { unsafe SSL_CTX_free(pointer) }

    private func setVersions() throws(TLSError) {
        let (minimum, maximum) = (configuration.minimumVersion, configuration.maximumVersion)
        guard minimum <= maximum,
            unsafe tern_SSL_CTX_set_min_proto_version(pointer, minimum.number) == 1,
            unsafe tern_SSL_CTX_set_max_proto_version(pointer, maximum.number) == 1
        else { throw .withQueue(.invalidConfiguration(.versions(minimum: minimum, maximum: maximum))) }
    }

    /// The peer chooses what the client computes. Key exchange on curves has a known cost; that of a finite field grows
    /// with a modulus that is the peer's choice (RFC 5246) or up to 8192 bits wide (RFC 7919). TLS 1.2 is limited to
    /// what browsers still offer: ephemeral keys, authenticated encryption (RFC 9325 §4.2). All suites of TLS 1.3 are
    /// of that kind.
    private func setAlgorithms() throws(TLSError) {
        try setChosen(configuration.cipherList, .invalidConfiguration(.cipherList(configuration.cipherList ?? ""))) {
            unsafe SSL_CTX_set_cipher_list(pointer, $0 ?? "ECDHE+AESGCM:ECDHE+CHACHA20") == 1
        }
        try setChosen(configuration.groups, .invalidConfiguration(.groups(configuration.groups ?? ""))) { chosen in
            if let chosen { return unsafe tern_SSL_CTX_set1_groups_list(pointer, chosen) == 1 }
            // The hybrid groups exist since OpenSSL 3.5, and so does the syntax that sends key shares of both kinds.
            return unsafe tern_SSL_CTX_set1_groups_list(pointer, "*X25519MLKEM768/*X25519:P-256:X448:P-521:P-384") == 1
                || tern_SSL_CTX_set1_groups_list(pointer, "X25519:P-256:X448:P-521:P-384") == 1
        }
        try setChosen(
            configuration.cipherSuites, .invalidConfiguration(.cipherSuites(configuration.cipherSuites ?? ""))
        ) { chosen in chosen.map { unsafe SSL_CTX_set_ciphersuites(pointer, $0) == 1 } ?? true }
        OpenSSLError.clear()
    }

    /// - Parameter set: gets the list, nil for the default; false if OpenSSL refuses it. An empty list would mean
    ///   OpenSSL's default, and one with a zero byte its beginning.
    private func setChosen(
        _ list: String?, _ reason: @autoclosure () -> TLSError.Reason, _ set: (String?) -> Bool
    ) throws(TLSError) {
        OpenSSLError.clear()
        if let list, list.isEmpty || list.utf8.contains(0) { throw TLSError(reason()) }
        if !set(list) { throw .withQueue(list == nil ? .outOfResources : reason()) }
    }

    /// RFC 7301 §3.1: each name follows a byte with its length.
    private func setApplicationProtocols() throws(TLSError) {
        var list: [UInt8] = []
        for name in configuration.applicationProtocols {
            guard let length = UInt8(exactly: name.utf8.count), length > 0 else {
                throw TLSError(.invalidConfiguration(.applicationProtocol(name)))
            }
            list.append(length)
            list.append(contentsOf: name.utf8)
        }
        // This function, unlike its neighbours, returns 0 for success.
        guard unsafe SSL_CTX_set_alpn_protos(pointer, list, UInt32(clamping: list.count)) == 0 else {
            throw .withQueue(.outOfResources)
        }
    }

    private func use(_ identity: ClientIdentity) throws(TLSError) {
        var isUsed = true
        for (index, certificate) in identity.certificates.enumerated() where isUsed {
            isUsed =
                index == 0
                ? unsafe SSL_CTX_use_certificate(pointer, certificate.x509.pointer) == 1
                : unsafe tern_SSL_CTX_add1_chain_cert(pointer, certificate.x509.pointer) == 1
        }
        guard isUsed, unsafe SSL_CTX_use_PrivateKey(pointer, identity.privateKey.pointer) == 1 else {
            throw .withQueue(.invalidConfiguration(.identity))
        }
    }

    private func setOptions() {
        // Never SSL_OP_IGNORE_UNEXPECTED_EOF: a missing close_notify must be visible.
        unsafe SSL_CTX_set_options(pointer, tern_SSL_OP_NO_RENEGOTIATION | tern_SSL_OP_NO_COMPRESSION)
        unsafe SSL_CTX_set_security_level(pointer, securityLevel)
        // A read returns after each message without application data, so that they can be counted.
        unsafe tern_SSL_CTX_clear_mode(pointer, Int(SSL_MODE_AUTO_RETRY))
        unsafe tern_SSL_CTX_set_max_cert_list(pointer, EvaluationLimit.listSize.handshakeMaximum)
        // From the start, and not once a handshake is complete: from OpenSSL 3.2 on a connection reads the mode when it is
        // created; and of many handshakes at once only the one that is being processed needs its 34 KB of buffers.
        unsafe tern_SSL_CTX_set_mode(pointer, Int(SSL_MODE_RELEASE_BUFFERS))
        keepSessions()
    }

    /// OpenSSL's own cache ignores policies and verdicts: `SessionCache` replaces it.
    private func keepSessions() {
        guard sessions != nil else {
            unsafe SSL_CTX_set_options(pointer, tern_SSL_OP_NO_TICKET)
            return unsafe tern_SSL_CTX_set_session_cache_mode(pointer, Int(SSL_SESS_CACHE_OFF))
        }
        unsafe tern_SSL_CTX_set_session_cache_mode(
            pointer, Int(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL))
    }
}

/// 112 bits: no RSA below 2048, no SHA-1 and no MD5, neither in certificates nor in the handshake.
let securityLevel: Int32 = 2
