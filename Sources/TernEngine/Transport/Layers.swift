// SPDX-License-Identifier: Apache-2.0
import TernTLS

/// The layers between HTTP and the socket: none, TLS, or TLS in TLS, as with a secure server behind a secure proxy.
///
/// The ciphertext of one layer is the plaintext of the layer below. A call passes its output on at once, so bytes that
/// wait for the socket wait in the lowest layer; except those that must not be sent while a server is being evaluated,
/// which stay in their layer.
struct Layers: ~Copyable {
    /// The top layer; nil for plain connections.
    private var session: TLSSession?
    /// The layers below the session; nil for the socket itself.
    private var beneath: Beneath?

    init(_ session: consuming TLSSession?) { self.session = session }

    /// Adds a layer on top.
    mutating func add(_ session: consuming TLSSession) {
        if isSecure { beneath = Beneath(Layers(self.session.take(), on: beneath.take())) }
        self.session = consume session
    }

    private init(_ session: consuming TLSSession?, on beneath: Beneath?) {
        self.session = session
        self.beneath = beneath
    }

    var isSecure: Bool { session != nil }

    /// Ciphertext that waits for the socket.
    var outgoingCount: Int {
        if let beneath { return beneath.layers.outgoingCount }
        switch session {
        case .some(let session): return session.outgoingCount
        case .none: return 0
        }
    }

    /// Passes that to `send`, which returns how much it took.
    mutating func drainOutgoing(_ send: (UnsafeRawBufferPointer) -> Int) {
        if let beneath { return unsafe beneath.layers.drainOutgoing(send) }
        unsafe session?.drainOutgoing(send)
    }

    /// Seals all of `plaintext`.
    mutating func seal(_ plaintext: UnsafeRawBufferPointer) throws(TLSError) {
        try unsafe session?.seal(plaintext)
        try passOn()
    }

    /// Continues the handshake of the top layer with bytes from the socket, moving `offset` past those it consumed.
    mutating func handshake(
        _ ciphertext: UnsafeRawBufferPointer, from offset: inout Int
    ) throws(TLSError) -> HandshakeProgress {
        guard let beneath else { return try unsafe session?.handshake(ciphertext, from: &offset) ?? .complete }
        while true {
            switch try handshake(over: beneath) {
            case .needMoreBytes: break
            case .complete: return .complete
            case .needEvaluation(let pending): return .needEvaluation(pending)
            case .needRevocation(let questions): return .needRevocation(questions)
            case .needDisposition(let verdict): return .needDisposition(verdict)
            case .needSignature(let pending): return .needSignature(pending)
            }
            switch try unsafe beneath.open(ciphertext, from: &offset) {
            case .bytes, .message: continue
            case .nothing: return .needMoreBytes
            case .endOfStream: try session?.endOfCiphertext()
            }
        }
    }

    private mutating func handshake(over beneath: Beneath) throws(TLSError) -> HandshakeProgress {
        do throws(TLSError) {
            let progress = try unsafe beneath.lend { bytes, offset throws(TLSError) in
                try unsafe session?.handshake(bytes, from: &offset)
            }
            switch progress {
            case .needMoreBytes, .complete, nil: try passOn()
            case .needEvaluation, .needRevocation, .needDisposition, .needSignature: break
            }
            return progress ?? .complete
        } catch {
            // The alert that tells the server the reason.
            try? passOn()
            throw error
        }
    }

    /// Opens bytes from the socket, moving `offset`: at most one record or message.
    mutating func open(
        _ ciphertext: UnsafeRawBufferPointer, from offset: inout Int, into plaintext: UnsafeMutableRawBufferPointer
    ) throws(TLSError) -> Received {
        guard let beneath else {
            return Received(try unsafe session?.open(ciphertext, from: &offset, into: plaintext))
        }
        while true {
            let opened = try unsafe open(over: beneath, into: plaintext)
            guard case .nothing = opened else { return opened }
            switch try unsafe beneath.open(ciphertext, from: &offset) {
            case .bytes: continue
            case .message: return .message
            case .nothing: return .nothing
            // Whatever happens in the layer below must not end this one (RFC 8446 §6.1).
            case .endOfStream: return .endOfStream(isOrderly: false)
            }
        }
    }

    private mutating func open(
        over beneath: Beneath, into plaintext: UnsafeMutableRawBufferPointer
    ) throws(TLSError) -> Received {
        do throws(TLSError) {
            let result = try unsafe beneath.lend { bytes, offset throws(TLSError) in
                try unsafe session?.open(bytes, from: &offset, into: plaintext)
            }
            // A key update needs a reply.
            try passOn()
            return Received(result)
        } catch {
            try? passOn()
            throw error
        }
    }

    /// Whether received bytes wait to be opened.
    var hasPending: Bool {
        if let beneath, beneath.hasPending { return true }
        switch session {
        case .some(let session): return session.hasPending
        case .none: return false
        }
    }

    /// Reports that the socket will receive no more.
    mutating func endOfCiphertext() throws(TLSError) { try session?.endOfCiphertext() }

    /// Sends close_notify in every layer.
    mutating func close() {
        session?.close()
        try? passOn()
        beneath?.layers.close()
    }

    /// Seals the session's outgoing ciphertext in the layer below.
    private mutating func passOn() throws(TLSError) {
        guard let beneath else { return }
        var failure: TLSError?
        unsafe session?.drainOutgoing { bytes in
            do throws(TLSError) { try unsafe beneath.layers.seal(bytes) } catch { failure = error }
            // Bytes that could not be sealed once never can.
            return bytes.count
        }
        if let failure { throw failure }
    }
}

// The top layer
extension Layers {
    mutating func answer(_ answers: [RevocationQuestion: RevocationAnswer]) { session?.answer(answers) }

    mutating func answer(_ disposition: ServerTrustAnswer) { session?.answer(disposition) }

    mutating func take(_ completed: CompletedEvaluation) { session?.take(completed) }

    mutating func take(_ completed: CompletedSignature) { session?.take(completed) }

    var info: TLSInfo? {
        switch session {
        case .some(let session): session.info
        case .none: nil
        }
    }

    var trust: ServerTrustResult? {
        switch session {
        case .some(let session): session.trust
        case .none: nil
        }
    }
}

/// The layers below a session, and the bytes that they have opened for it.
private final class Beneath {
    /// The maximum length of a record (RFC 8446 §5.1).
    private static let recordSize = 16 * 1024

    var layers: Layers
    /// Owns no memory while there is nothing to open.
    private var buffer: [UInt8] = []
    private var waiting = 0..<0

    init(_ layers: consuming Layers) { self.layers = layers }

    var hasPending: Bool { !waiting.isEmpty || layers.hasPending }

    /// Opens more, once no bytes wait.
    func open(_ ciphertext: UnsafeRawBufferPointer, from offset: inout Int) throws(TLSError) -> Received {
        if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: Self.recordSize) }
        let received = try unsafe buffer.withUnsafeMutableBytes { buffer in
            Result { () throws(TLSError) in try unsafe layers.open(ciphertext, from: &offset, into: buffer) }
        }.get()
        if case .bytes(let count) = received {
            waiting = 0..<count
        } else {
            (buffer, waiting) = ([], 0..<0)
        }
        return received
    }

    /// Lends the waiting bytes; `body` moves the offset past those it has taken.
    func lend<R>(
        _ body: (UnsafeRawBufferPointer, inout Int) throws(TLSError) -> R
    ) throws(TLSError) -> R {
        var offset = 0
        defer { waiting = waiting.dropFirst(offset) }
        return try unsafe buffer.withUnsafeBytes { buffer in
            Result { () throws(TLSError) in
                try unsafe body(UnsafeRawBufferPointer(rebasing: buffer[waiting]), &offset)
            }
        }.get()
    }
}
