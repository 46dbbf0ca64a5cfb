// SPDX-License-Identifier: Apache-2.0
// TLS without I/O: ciphertext in, plaintext out, ciphertext to send. It owns no socket and never blocks.
import CTernOpenSSL

/// The client side of one TLS connection, owned by one thread at a time.
///
/// After an error the session only repeats that error, but the ciphertext in `outgoing` (the fatal alert) can and
/// should still be sent.
///
/// Safety: `ssl` and `wire` are never nil, and owned by `callbacks`, which `ssl` points to. While a signature is
/// pending, another thread uses both, and nothing here does.
@safe public struct TLSSession: ~Copyable {
    private enum State {
        /// To `verifying`, `open` or `failed`.
        case handshaking
        /// The peer has finished; its verification has not. To `open` or `failed`.
        case verifying
        /// To `closed` or `failed`.
        case open
        /// `close` was called; reading continues. To `failed`.
        case closed
        indirect case failed(TLSError)
    }

    /// A record's header, and the overhead of AEAD suites: a nonce in TLS 1.2 (RFC 5288 §3), the type in 1.3 (RFC 8446
    /// §5.2), the tag.
    private static let recordOverhead = 5 + 8 + 1 + 16

    private let ssl: OpaquePointer
    private let wire: UnsafeMutablePointer<Wire>
    private let callbacks: SessionCallbacks
    private let hasIdentity: Bool
    private var state = State.handshaking
    private var credit = MessageCredit()
    /// The step that has been begun elsewhere.
    private var signature: PendingSignature?
    /// Its result, until the handshake continues.
    private var signed: CompletedSignature?

    /// Creates a session that has not sent anything.
    ///
    /// - Parameters:
    ///   - context: the offered parameters and the session cache.
    ///   - host: a lower-case DNS name, or an IP literal without brackets. A name is sent as SNI, without its trailing
    ///     dot; an address is not (RFC 6066 §3).
    ///   - port: distinguishes servers of one host. Sessions are resumed only for the same context, host, port and
    ///     policy.
    ///   - policy: evaluates the server's certificates, inside the handshake and on its thread; longer work is
    ///     postponed, see `needEvaluation`.
    ///   - profile: the rules for chains; nil for those of the context's configuration.
    ///   - maximumPathDepth: the maximum number of certificates between the server's own and its anchor; nil for that of
    ///     the context's configuration.
    ///   - identity: the client's certificate for this server; nil for that of the context's configuration.
    ///   - asksUser: whether the handshake pauses at every final verdict, see `needDisposition`: before the client
    ///     certificate and any application data are sent, and also at the stored verdict of a resumed session.
    /// - Throws: `invalidHost`, `outOfResources`, or `invalidConfiguration` for an identity that cannot be used.
    public init(
        context: TLSContext, host: String, port: UInt16 = 443, policy: ServerTrustPolicy, profile: TrustProfile? = nil,
        maximumPathDepth: Int? = nil, identity: ClientIdentity? = nil, asksUser: Bool = false
    ) throws(TLSError) {
        let rules = ChainRules(
            profile: profile ?? context.configuration.profile,
            maximumPathDepth: maximumPathDepth ?? context.configuration.maximumPathDepth)
        try self.init(
            context: context, host: host, port: port, policy: policy, rules: rules, identity: identity,
            asksUser: asksUser)
    }

    /// The same with all rules for chains.
    package init(
        context: TLSContext, host: String, port: UInt16, policy: ServerTrustPolicy, rules: ChainRules,
        identity: ClientIdentity?, asksUser: Bool
    ) throws(TLSError) {
        OpenSSLError.clear()
        guard let reference = ReferenceIdentity(host) else { throw TLSError(.invalidHost(host)) }
        let resumption = context.sessions.map {
            Resumption(
                $0,
                for: SessionCache.Key(
                    host: host, port: port, policy: policy, rules: rules, identity: identity,
                    asksUser: asksUser))
        }
        let callbacks = SessionCallbacks(
            verification: PeerVerification(
                host: host, policy: policy, rules: rules, settings: context.configuration, asksUser: asksUser),
            resumption: resumption,
            keyLog: context.configuration.keyLog)
        guard let ssl = unsafe SSL_new(context.pointer) else { throw .withQueue(.outOfResources) }
        let wire = UnsafeMutablePointer<Wire>.allocate(capacity: 1)
        unsafe wire.initialize(to: Wire())
        unsafe callbacks.own(ssl, wire)
        guard unsafe callbacks.attach(to: ssl), unsafe Self.connect(ssl, to: wire, as: reference) else {
            throw .withQueue(.outOfResources)
        }
        if let minimum = policy.rules(\.minimumVersion).max(), minimum > context.configuration.minimumVersion {
            unsafe tern_SSL_set_min_proto_version(ssl, minimum.number)
        }
        let common = context.configuration.identity
        let isIntended = (identity ?? common)?.isIntended(for: host) == true
        if common != nil, identity != nil || !isIntended { unsafe SSL_certs_clear(ssl) }
        callbacks.hasKeyElsewhere = isIntended && (identity ?? common)?.privateKey.isElsewhere == true
        if let identity, isIntended, !(unsafe Self.use(identity, on: ssl)) {
            throw .withQueue(.invalidConfiguration(.identity))
        }
        unsafe self.ssl = ssl
        unsafe self.wire = wire
        self.callbacks = callbacks
        hasIdentity = isIntended
    }

    /// Continues the handshake. The first call, with no ciphertext, creates the ClientHello.
    ///
    /// - Parameters:
    ///   - ciphertext: the bytes from the peer, borrowed for the call.
    ///   - offset: how many of them are consumed. On `.needMoreBytes` that is all of them; on `.complete` pass the rest
    ///     to `open`, otherwise to the next call.
    /// - Throws: any reason but `truncated` and `protocolViolation`; an alert may wait to be sent.
    public mutating func handshake(
        _ ciphertext: UnsafeRawBufferPointer, from offset: inout Int
    ) throws(TLSError) -> HandshakeProgress {
        switch state {
        case .handshaking: break
        case .verifying: return try settle()
        case .open, .closed: return .complete
        case .failed(let error): throw error
        }
        if callbacks.isSigning { return try unsafe continueSigning(ciphertext, from: &offset) }
        let (result, problem) = unsafe borrowing(ciphertext, from: &offset) { ssl in unsafe SSL_do_handshake(ssl) }
        if result == 1 { return try settle() }
        switch problem {
        case SSL_ERROR_WANT_READ: return .needMoreBytes
        case SSL_ERROR_WANT_X509_LOOKUP where callbacks.isSigning: return unsafe sign(ciphertext, from: offset)
        case SSL_ERROR_WANT_RETRY_VERIFY, SSL_ERROR_WANT_X509_LOOKUP:
            guard let obstacle = callbacks.verification.obstacle else { throw failHandshake(handshakeFailure()) }
            return obstacle
        case SSL_ERROR_ZERO_RETURN: throw failHandshake(TLSError(.alert(.closeNotify)))
        default: throw failHandshake(handshakeFailure())
        }
    }

    private mutating func continueSigning(
        _ ciphertext: UnsafeRawBufferPointer, from offset: inout Int
    ) throws(TLSError) -> HandshakeProgress {
        if let signature { return .needSignature(signature) }
        guard let signed = signed.take() else {
            return unsafe offset < ciphertext.count ? sign(ciphertext, from: offset) : .needMoreBytes
        }
        offset = min(max(0, offset) + signed.consumed, ciphertext.count)
        switch signed.problem {
        case SSL_ERROR_NONE: return try settle()
        case SSL_ERROR_WANT_READ: return .needMoreBytes
        case SSL_ERROR_ZERO_RETURN: throw failHandshake(TLSError(.alert(.closeNotify)))
        default: throw failHandshake(signingFailure(signed))
        }
    }

    /// The next step, for another thread. The ciphertext counts as consumed when the step is complete.
    private mutating func sign(_ ciphertext: UnsafeRawBufferPointer, from offset: Int) -> HandshakeProgress {
        let rest = unsafe Array(ciphertext.dropFirst(max(0, offset)))
        let signature = PendingSignature(ciphertext: rest) { [callbacks] in callbacks.continueHandshake(with: $0) }
        self.signature = signature
        return .needSignature(signature)
    }

    /// Answers questions of `.needRevocation`; questions without an answer count as unanswerable.
    public mutating func answer(_ answers: [RevocationQuestion: RevocationAnswer]) {
        switch state {
        case .handshaking, .verifying: break
        case .open, .closed, .failed: return
        }
        let unanswered = callbacks.verification.questions.map { ($0, RevocationAnswer.none) }
        callbacks.verification.answer(answers.merging(unanswered) { given, _ in given })
    }

    /// Answers `.needDisposition`. The first answer counts.
    public mutating func answer(_ disposition: ServerTrustAnswer) { callbacks.verification.answer(disposition) }

    /// Takes the result of `.needEvaluation`.
    public mutating func take(_ completed: CompletedEvaluation) { callbacks.verification.take(completed) }

    /// Takes the result of `.needSignature`.
    public mutating func take(_ completed: CompletedSignature) {
        guard signature == completed.pending else { return }
        signature = nil
        signed = completed
    }

    /// Opens ciphertext into plaintext, at most one record or message. Call it until it returns `.needMoreBytes`.
    ///
    /// - Parameters:
    ///   - ciphertext: the bytes from the peer, borrowed for the call.
    ///   - offset: how many of them are consumed; all of them on `.needMoreBytes`.
    ///   - plaintext: the destination; an empty buffer gets `.bytes(0)`.
    /// - Throws: `alert`, `protocolViolation`, `tooManyMessages` or `notEstablished`.
    public mutating func open(
        _ ciphertext: UnsafeRawBufferPointer, from offset: inout Int, into plaintext: UnsafeMutableRawBufferPointer
    ) throws(TLSError) -> OpenResult {
        switch state {
        case .open, .closed: break
        case .handshaking, .verifying: throw TLSError(.notEstablished)
        case .failed(let error): throw error
        }
        guard unsafe !plaintext.isEmpty else { return .bytes(0) }
        var count = 0
        let (result, problem) = unsafe borrowing(ciphertext, from: &offset, records: MessageCredit.limit) { ssl in
            unsafe SSL_read_ex(ssl, plaintext.baseAddress, plaintext.count, &count)
        }
        let records = unsafe wire.pointee.recordCount
        if result == 1 {
            if records > 1 { try spend(records - 1) }
            credit.earn(count)
            return .bytes(count)
        }
        switch problem {
        case SSL_ERROR_WANT_READ:
            // Without SSL_MODE_AUTO_RETRY it stops after each message.
            let needsInput = unsafe wire.pointee.needsInput
            if records > 0 || !needsInput {
                // For a message after the handshake, OpenSSL has allocated a write buffer, which only the next write would
                // release: an idle connection would keep 17 KB.
                unsafe SSL_free_buffers(ssl)
                try spend(max(1, records))
            }
            return needsInput && offset == ciphertext.count ? .needMoreBytes : .message
        case SSL_ERROR_ZERO_RETURN: return .endOfStream
        default: throw fail(recordFailure())
        }
    }

    private mutating func spend(_ messages: Int) throws(TLSError) {
        if !credit.spend(messages) { throw fail(TLSError(.tooManyMessages(limit: MessageCredit.limit))) }
    }

    /// Whether consumed bytes wait to be opened: the rest of a record that did not fit, or part of the next.
    public var hasPending: Bool { signature == nil && (unsafe SSL_has_pending(ssl) == 1) }

    /// Encrypts all of `plaintext` into the outgoing ciphertext; without plaintext, does nothing.
    ///
    /// - Throws: `notEstablished`, `closed` or `outOfResources`.
    public mutating func seal(_ plaintext: UnsafeRawBufferPointer) throws(TLSError) {
        switch state {
        case .open: break
        case .handshaking, .verifying: throw TLSError(.notEstablished)
        case .closed: throw TLSError(.closed)
        case .failed(let error): throw error
        }
        guard unsafe !plaintext.isEmpty else { return }  // SSL_write of no bytes is undefined.
        OpenSSLError.clear()
        unsafe wire.pointee.outgoing.reserve(Self.ciphertextCount(of: plaintext.count))
        var written = 0
        // The wire accepts all bytes, so a write is complete or has failed.
        guard unsafe SSL_write_ex(ssl, plaintext.baseAddress, plaintext.count, &written) == 1 else {
            throw fail(.withQueue(.outOfResources))
        }
    }

    /// The maximum length of the ciphertext, except with obsolete suites whose records are longer.
    private static func ciphertextCount(of count: Int) -> Int {
        let records = count / Int(SSL3_RT_MAX_PLAIN_LENGTH) + 1
        return count + records * recordOverhead
    }

    /// Reports that the ciphertext has ended, as when the peer sent FIN. If that ends a handshake, the session that was
    /// offered in it is not used again.
    ///
    /// - Throws: `truncated` if the peer had not sent close_notify before, or the error that had ended the session.
    public mutating func endOfCiphertext() throws(TLSError) {
        switch state {
        case .failed(let error): throw error
        // The other thread may be using the session that was offered.
        case .handshaking where signature != nil: throw fail(TLSError(.truncated))
        case .handshaking: throw failHandshake(TLSError(.truncated))
        case .verifying, .open, .closed: break
        }
        guard unsafe SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN != 0 else { throw fail(TLSError(.truncated)) }
    }

    /// Adds close_notify to the outgoing ciphertext, once. Does not wait for the peer's.
    public mutating func close() {
        guard case .open = state else { return }
        state = .closed
        OpenSSLError.clear()
        unsafe SSL_shutdown(ssl)
        OpenSSLError.clear()
    }

    /// The evaluation that accepted or refused the server; nil until its certificates have arrived. On a resumed
    /// connection, which has no certificates, the evaluation that accepted the server when the session was established.
    public var trust: ServerTrustResult? { callbacks.verification.result }

    /// Lends the unread ciphertext to OpenSSL for one call, and returns what stopped that call.
    private mutating func borrowing(
        _ ciphertext: UnsafeRawBufferPointer, from offset: inout Int, records: Int = .max,
        _ call: (OpaquePointer) -> Int32
    ) -> (result: Int32, problem: Int32) {
        let start = min(max(0, offset), ciphertext.count)
        OpenSSLError.clear()
        unsafe wire.pointee.lend(UnsafeRawBufferPointer(rebasing: ciphertext[start...]), records: records)
        let result = unsafe call(ssl)
        offset = unsafe ciphertext.count - wire.pointee.unread
        unsafe wire.pointee.withdraw()
        return (result, result == 1 ? SSL_ERROR_NONE : unsafe SSL_get_error(ssl, result))
    }

    /// Opens the session if there are no questions left and the verdict accepts the server.
    private mutating func settle() throws(TLSError) -> HandshakeProgress {
        // The stored verdict is taken once: the user's answer replaces it.
        if case .handshaking = state, unsafe SSL_session_reused(ssl) == 1, !callbacks.resumed() {
            throw fail(TLSError(.handshakeFailed))
        }
        if let obstacle = callbacks.verification.obstacle {
            state = .verifying
            return obstacle
        }
        do throws(TLSError) {
            try requireTrustedPeer()
        } catch {
            reclaimLeftover()
            throw error
        }
        callbacks.handshakeComplete()
        // Records of application data need not be counted.
        unsafe SSL_set_msg_callback(ssl, nil)
        state = .open
        return .complete
    }

    /// The server is refused after the handshake itself. In TLS 1.3 the client's last flight, and with it its
    /// certificate, has not been sent, and will not be; in TLS 1.2 it has, and the only alert left is close_notify.
    private mutating func reclaimLeftover() {
        if hasOutgoing { return unsafe wire.pointee.outgoing.discard() }
        OpenSSLError.clear()
        unsafe SSL_shutdown(ssl)
        OpenSSLError.clear()
    }

    /// Defence in depth: a handshake without this evaluation, now or when its session was established, is refused.
    private mutating func requireTrustedPeer() throws(TLSError) {
        guard unsafe SSL_get0_peer_certificate(ssl) != nil else { throw fail(TLSError(.noPeerCertificate)) }
        guard let result = callbacks.verification.result, unsafe SSL_get_verify_result(ssl) == Int(X509_V_OK) else {
            throw fail(TLSError(.handshakeFailed))
        }
        if case .refused(let failure) = result.verdict { throw fail(TLSError(.trust(failure))) }
    }

    private mutating func failHandshake(_ error: TLSError) -> TLSError {
        callbacks.handshakeFailed()
        return fail(error)
    }

    private mutating func fail(_ error: TLSError) -> TLSError {
        state = .failed(error)
        return error
    }
}

extension TLSSession {
    /// Attaches `wire` as the BIO of both directions, and sets the server name; false if out of memory.
    @unsafe private static func use(_ identity: ClientIdentity, on ssl: OpaquePointer) -> Bool {
        guard let own = identity.certificates.first, unsafe SSL_use_certificate(ssl, own.x509.pointer) == 1 else {
            return false
        }
        for certificate in identity.certificates.dropFirst() {
            guard unsafe tern_SSL_add1_chain_cert(ssl, certificate.x509.pointer) == 1 else { return false }
        }
        return unsafe SSL_use_PrivateKey(ssl, identity.privateKey.pointer) == 1
    }

    @unsafe private static func connect(
        _ ssl: OpaquePointer, to wire: UnsafeMutablePointer<Wire>, as reference: ReferenceIdentity
    ) -> Bool {
        guard let bio = unsafe Wire.makeBIO(wire) else { return false }
        unsafe SSL_set_bio(ssl, bio, bio)
        unsafe SSL_set_connect_state(ssl)
        guard case .name(let name) = reference else { return true }
        return unsafe tern_SSL_set_tlsext_host_name(ssl, name) == 1
    }
}

extension TLSSession {
    /// Whether ciphertext waits to be sent. True after most calls of `handshake` and `seal`, sometimes after `open`.
    public var hasOutgoing: Bool { outgoingCount > 0 }

    /// The number of ciphertext bytes that wait to be sent.
    public var outgoingCount: Int { signature == nil ? unsafe wire.pointee.outgoing.count : 0 }

    /// Passes the waiting ciphertext to `send`, which returns how many bytes it took; the rest stays.
    public mutating func drainOutgoing(_ send: (UnsafeRawBufferPointer) -> Int) {
        if signature == nil { unsafe wire.pointee.outgoing.drain(send) }
    }
}

extension TLSSession {
    /// The negotiated parameters; meaningful once the handshake is complete.
    public var info: TLSInfo {
        if signature != nil {
            return TLSInfo(
                version: "", cipher: "", resumed: false, applicationProtocol: nil, group: nil, signatureAlgorithm: nil)
        }
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        unsafe SSL_get0_alpn_selected(ssl, &name, &length)
        return unsafe TLSInfo(
            version: String(cStringOrEmpty: SSL_get_version(ssl)),
            cipher: SSL_get_current_cipher(ssl).map { unsafe Self.name(of: $0) } ?? "",
            resumed: SSL_session_reused(ssl) == 1,
            applicationProtocol: name.map {
                unsafe String(decoding: UnsafeBufferPointer(start: $0, count: Int(length)), as: UTF8.self)
            },
            group: tern_SSL_group_name(ssl).map { unsafe String(cString: $0) }, signatureAlgorithm: signatureAlgorithm)
    }

    /// Literals, so that a connection holds no copy of them. OpenSSL 3.0 tells the kind of the signature and its digest
    /// only: the two names of each RSASSA-PSS differ by the kind of key.
    private var signatureAlgorithm: String? {
        var kind: Int32 = 0
        var digest: Int32 = 0
        guard unsafe SSL_get_peer_signature_type_nid(ssl, &kind) == 1 else { return nil }
        switch kind {
        case NID_ED25519: return "ed25519"
        case NID_ED448: return "ed448"
        default: break
        }
        guard unsafe tern_SSL_get_peer_signature_digest(ssl, &digest) == 1 else { return nil }
        switch (kind, digest) {
        case (NID_X9_62_id_ecPublicKey, NID_sha256): return "ecdsa_secp256r1_sha256"
        case (NID_X9_62_id_ecPublicKey, NID_sha384): return "ecdsa_secp384r1_sha384"
        case (NID_X9_62_id_ecPublicKey, NID_sha512): return "ecdsa_secp521r1_sha512"
        case (NID_rsassaPss, NID_sha256): return hasPSSKey ? "rsa_pss_pss_sha256" : "rsa_pss_rsae_sha256"
        case (NID_rsassaPss, NID_sha384): return hasPSSKey ? "rsa_pss_pss_sha384" : "rsa_pss_rsae_sha384"
        case (NID_rsassaPss, NID_sha512): return hasPSSKey ? "rsa_pss_pss_sha512" : "rsa_pss_rsae_sha512"
        case (NID_rsaEncryption, NID_sha256): return "rsa_pkcs1_sha256"
        case (NID_rsaEncryption, NID_sha384): return "rsa_pkcs1_sha384"
        case (NID_rsaEncryption, NID_sha512): return "rsa_pkcs1_sha512"
        default: return unsafe String(cStringOrEmpty: OBJ_nid2sn(kind))
        }
    }

    private var hasPSSKey: Bool {
        guard let certificate = unsafe SSL_get0_peer_certificate(ssl), let key = unsafe X509_get0_pubkey(certificate)
        else { return false }
        return unsafe EVP_PKEY_get_base_id(key) == NID_rsassaPss
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

extension TLSSession {
    /// Returns the reason why the handshake failed: a refusal by this client, a limit, the peer's alert, or OpenSSL's
    /// errors.
    private func handshakeFailure() -> TLSError { handshakeFailure(OpenSSLError.drain()) }

    /// That of a step in which the client's key may have been asked.
    private func signingFailure(_ signed: CompletedSignature) -> TLSError {
        if let failure = signed.failure { return TLSError(.signing(failure), openSSL: signed.errors) }
        let other = handshakeFailure(signed.errors)
        // What OpenSSL says where a key fails.
        let isOfKey = signed.errors.contains {
            $0.libraryNumber == ERR_LIB_SSL
                && $0.reasonNumber == ERR_LIB_EVP | Int32(truncatingIfNeeded: ERR_RFLAG_COMMON)
        }
        return other.reason == .handshakeFailed && isOfKey
            ? TLSError(.signing(.unavailable), openSSL: signed.errors) : other
    }

    private func handshakeFailure(_ errors: [OpenSSLError]) -> TLSError {
        if let failure = callbacks.verification.refusal {
            return TLSError(.trust(failure), openSSL: errors)
        }
        if let limit = crossedLimit(in: errors) {
            let failure = TrustFailure(.limit(limit), host: callbacks.verification.host, seen: [])
            return TLSError(.trust(failure), openSSL: errors)
        }
        return TLSError(alertReason(in: errors) ?? .handshakeFailed, openSSL: errors)
    }

    /// The limit that the list exceeded before it was read.
    private func crossedLimit(in errors: [OpenSSLError]) -> EvaluationLimit? {
        if callbacks.hasTooManyCertificates { return .certificates }
        let isTooLong = errors.contains {
            $0.libraryNumber == ERR_LIB_SSL && $0.reasonNumber == SSL_R_EXCESSIVE_MESSAGE_SIZE
        }
        return unsafe isTooLong && SSL_get_state(ssl) == TLS_ST_CR_CERT ? .listSize : nil
    }

    /// Returns the reason why no record could be opened.
    private func recordFailure() -> TLSError {
        let errors = OpenSSLError.drain()
        return TLSError(alertReason(in: errors) ?? .protocolViolation, openSSL: errors)
    }

    /// The peer's alert, translated if it is about a client certificate that was requested and is not configured.
    private func alertReason(in errors: [OpenSSLError]) -> TLSError.Reason? {
        guard let alert = errors.lazy.compactMap(TLSAlert.init).first else { return nil }
        let isMissed = callbacks.wasAskedForCertificate && !hasIdentity && alert.mayMissCertificate
        return isMissed ? .clientCertificateRequired(alert) : .alert(alert)
    }
}

/// The number of messages without application data that a peer may still send: session tickets, key updates, requests
/// for renegotiation, warnings. Each costs a key derivation or a reply, and OpenSSL does not limit them; so a peer has
/// a small initial credit, and earns more only by application data.
struct MessageCredit {
    /// The initial and maximum credit. Servers send two to eight tickets after a handshake, and hardly any messages
    /// later.
    static let limit = 32
    /// The number of application data bytes that earn one message.
    private static let price = 512

    private var left = Self.limit
    private var earned = 0

    mutating func earn(_ bytes: Int) {
        if left == Self.limit { return }
        earned += bytes
        left = min(Self.limit, left + earned / Self.price)
        earned %= Self.price
    }

    /// Returns false if the credit is used up.
    mutating func spend(_ messages: Int) -> Bool {
        left -= messages
        return left >= 0
    }
}
