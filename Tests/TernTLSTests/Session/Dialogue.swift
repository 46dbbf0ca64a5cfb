// SPDX-License-Identifier: Apache-2.0
import TernTLS
import TernTesting

/// A client and a server with nothing between them but two arrays.
final class Dialogue {
    enum Trouble: Error { case tooManyTurns }

    var client: TLSSession
    let server: ServerEngine
    /// What the client has opened that was no application data.
    private(set) var messages = 0
    /// How many times the server was evaluated on another thread.
    private(set) var evaluations = 0
    /// How many times the client's key was asked on another thread.
    private(set) var signatures = 0
    /// The questions about revocation that were asked, and what is answered.
    private(set) var questions: [RevocationQuestion] = []
    var answer: (RevocationQuestion) -> RevocationAnswer = { _ in .none }
    /// The verdicts that had to be answered, and the answer.
    private(set) var verdicts: [PendingVerdict] = []
    var disposition: (PendingVerdict) -> ServerTrustAnswer = { _ in .performDefaultHandling }
    /// How many bytes the client is given at a time.
    var step = Int.max

    convenience init(
        root: CertificateAuthority, host: String = "localhost", leaf: LeafRequest = .localhost,
        policy: ServerTrustPolicy = .performDefaultEvaluation(validateHost: true),
        server options: ServerEngine.Options = .init(), configure: (inout TLSSettings) -> Void = { _ in }
    ) throws {
        try self.init(
            identity: root.issue(leaf), anchors: [root], host: host, policy: policy, server: options,
            configure: configure)
    }

    convenience init(
        identity: Identity, anchors: [CertificateAuthority], host: String = "localhost",
        policy: ServerTrustPolicy = .performDefaultEvaluation(validateHost: true),
        server options: ServerEngine.Options = .init(), configure: (inout TLSSettings) -> Void = { _ in }
    ) throws {
        try self.init(
            identity: identity, context: Self.context(anchors: anchors, configure), host: host, policy: policy,
            server: options)
    }

    init(
        identity: Identity, context: TLSContext, host: String = "localhost", port: UInt16 = 443,
        policy: ServerTrustPolicy = .performDefaultEvaluation(validateHost: true),
        server options: ServerEngine.Options = .init(), asksUser: Bool = false
    ) throws {
        client = try TLSSession(context: context, host: host, port: port, policy: policy, asksUser: asksUser)
        server = try ServerEngine(identity, options)
    }

    static func context(
        anchors: [CertificateAuthority], _ configure: (inout TLSSettings) -> Void = { _ in }
    ) throws -> TLSContext {
        var configuration = TLSSettings()
        configuration.anchors = .only(try anchors.map { try X509Certificate(pem: $0.certificatePEM) })
        configure(&configuration)
        return try TLSContext(configuration)
    }

    // `#expect` cannot look into a noncopyable value.
    var info: TLSInfo { client.info }
    var trust: ServerTrustResult? { client.trust }
    var hasOutgoing: Bool { client.hasOutgoing }
    var hasPending: Bool { client.hasPending }
    var outgoingCount: Int { client.outgoingCount }

    /// The rule that refuses; nil for a handshake that succeeds, with its tickets taken in.
    func refusal() throws -> String? {
        do {
            let rest = try handshake()
            _ = try open(rest)
            client.close()
            return nil
        } catch let error as TLSError {
            return error.trustFailure?.rule ?? "\(error)"
        }
    }

    /// Exchanges bytes until both sides need no more. Bytes that the client has not used when it completes are left in
    /// `rest`.
    func handshake() throws -> [UInt8] {
        var rest: [UInt8] = []
        var (clientDone, serverDone) = (false, false)
        for _ in 0..<10_000 {
            if !clientDone { clientDone = try advance(&rest) }
            server.receive(takeOutgoing())
            if !serverDone { serverDone = try server.handshake() }
            rest += server.send()
            if clientDone && serverDone { return rest }
        }
        throw Trouble.tooManyTurns
    }

    /// Gives the client up to `step` bytes; what it leaves stays in `input`.
    private func advance(_ input: inout [UInt8]) throws -> Bool {
        let window = Array(input.prefix(step))
        var offset = 0
        let progress = unsafe try window.withUnsafeBytes { unsafe try client.handshake($0, from: &offset) }
        input.removeFirst(offset)
        switch progress {
        case .needMoreBytes: return false
        case .complete: return true
        case .needEvaluation(let pending):
            evaluations += 1
            client.take(pending.run())
        case .needSignature(let pending):
            signatures += 1
            client.take(pending.run())
        case .needRevocation(let asked):
            questions += asked
            client.answer(Dictionary(uniqueKeysWithValues: asked.map { ($0, answer($0)) }))
        case .needDisposition(let pending):
            verdicts.append(pending)
            client.answer(disposition(pending))
        }
        return try advance(&input)
    }

    func takeOutgoing() -> [UInt8] {
        var bytes: [UInt8] = []
        unsafe client.drainOutgoing { waiting in
            unsafe bytes += Array(waiting)
            return waiting.count
        }
        return bytes
    }

    func seal(_ bytes: [UInt8]) throws { unsafe try bytes.withUnsafeBytes { unsafe try client.seal($0) } }

    /// Opens everything, in steps, through a plaintext buffer of the given size.
    func open(_ ciphertext: [UInt8], capacity: Int = 16384) throws -> (bytes: [UInt8], ended: Bool) {
        var plaintext: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: capacity)
        for start in stride(from: 0, to: ciphertext.count, by: min(step, max(1, ciphertext.count))) {
            let window = Array(ciphertext[start...].prefix(step))
            var offset = 0
            reading: while true {
                let result = unsafe try window.withUnsafeBytes { source in
                    unsafe try buffer.withUnsafeMutableBytes { target in
                        unsafe try client.open(source, from: &offset, into: target)
                    }
                }
                switch result {
                case .bytes(let count): plaintext += buffer.prefix(count)
                case .message: messages += 1
                case .needMoreBytes:
                    guard offset == window.count else { throw Trouble.tooManyTurns }
                    break reading
                case .endOfStream: return (plaintext, true)
                }
            }
        }
        return (plaintext, false)
    }

    /// The ClientHello.
    func firstFlight() throws -> [UInt8] {
        _ = try feedHandshake([])
        return takeOutgoing()
    }

    func feedHandshake(_ bytes: [UInt8]) throws -> (progress: HandshakeProgress, offset: Int) {
        var offset = 0
        let progress = unsafe try bytes.withUnsafeBytes { unsafe try client.handshake($0, from: &offset) }
        return (progress, offset)
    }
}
