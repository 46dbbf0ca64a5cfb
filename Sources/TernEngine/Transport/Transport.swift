// SPDX-License-Identifier: Apache-2.0
import TernIO
import TernSystem
import TernTLS

/// A socket and the layers over it: HTTP bytes in, HTTP bytes out. Once closed, it transfers nothing.
///
/// One per connection, used only on the thread of its loop. An object rather than a value, because a value of this size
/// would be copied by each access.
final class Transport {
    /// The amount of plaintext sealed between two sends: four full records.
    private static let sealedAtOnce = 64 * 1024
    /// Ciphertext that may wait for the next sealed bytes: the last flight of a handshake and the first request leave
    /// in one packet, which saves both ends a system call and a packet.
    private static let heldBack = 8 * 1024

    /// The maximum length of a record's plaintext (RFC 8446 §5.1).
    private static let recordSize = 16 * 1024

    /// The amount of unsent ciphertext at which receiving stops: more than the application can have left there, so the
    /// waiting bytes are replies to a peer that sends requests and does not read.
    private static let owedAtMost = 128 * 1024

    // Unchecked: the socket calls only the kernel, and the layers only OpenSSL: what code of the user decides about a
    // certificate or signs is passed in. So accesses never overlap.
    @safe @exclusivity(unchecked) private var socket: Socket?
    /// Whether sent bytes travel over TLS.
    private(set) var isSecure: Bool
    /// The number of bytes that the kernel has taken so far.
    private(set) var sentCount: UInt64 = 0
    /// The number of bytes that the kernel has delivered so far.
    private(set) var receivedCount: UInt64 = 0
    @safe @exclusivity(unchecked) private var layers: Layers
    /// The part of a tick's receive buffer that is not opened yet.
    private var received = 0..<0
    /// The unopened rest from an earlier tick.
    @safe @exclusivity(unchecked) private var held: ArraySlice<UInt8> = []
    /// OpenSSL has nothing left to open, and nothing is postponed.
    private var isOpened = true
    /// What came after records that were opened together. Until it is returned, `isOpened` is false.
    @safe @exclusivity(unchecked) private var postponed: Result<Received, TLSError>?
    /// The number of records that the last `receive` has opened.
    private(set) var recordCount = 0
    /// The kernel had less than requested: another call in this tick would return nothing.
    private var isDrained = false

    init(socket: consuming Socket, tls: consuming TLSSession? = nil) {
        self.socket = consume socket
        layers = Layers(tls)
        isSecure = layers.isSecure
    }

    /// Sends over TLS from now on. The handshake must come first.
    func secure(by session: consuming TLSSession) {
        layers.add(session)
        isSecure = true
    }

    /// Closes the socket without close_notify, and discards received bytes and bytes to send.
    func close() {
        socket = nil
        layers = Layers(nil)
        isSecure = false
        forgetInput()
    }

    /// Ciphertext that the kernel has not taken yet.
    var hasUnsent: Bool { unsentCount > 0 }

    /// Whether receiving should stop until the peer has read the waiting bytes.
    var owesTooMuch: Bool { unsentCount > Self.owedAtMost }

    private var unsentCount: Int { isSecure ? layers.outgoingCount : 0 }

    /// Sends the first bytes of `bytes`; 0 means wait for writability. Sealed bytes count as sent and leave by `flush`.
    func send(_ bytes: UnsafeRawBufferPointer) throws(TransportError) -> Int {
        guard isSecure else {
            do throws(SystemCallError) {
                guard case .bytes(let count) = try unsafe socket?.send(bytes) else { return 0 }
                sentCount &+= UInt64(count)
                return count
            } catch {
                throw .system(error)
            }
        }
        if unsentCount > Self.heldBack {
            try flush()
            if unsentCount > Self.heldBack { return 0 }
        }
        let piece = unsafe UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.sealedAtOnce))
        do throws(TLSError) { try unsafe layers.seal(piece) } catch { throw .tls(error) }
        try flush()
        return piece.count
    }

    /// The same for an array.
    func send(_ bytes: [UInt8]) throws(TransportError) -> Int {
        try unsafe bytes.withUnsafeBytes { bytes in
            Result { () throws(TransportError) in try unsafe send(bytes) }
        }.get()
    }

    /// Sends bytes of a file; only without TLS.
    func send(_ file: borrowing FileSource, at offset: Int64, count: Int) throws(SystemCallError) -> IOResult {
        let result = try socket?.send(file, at: offset, count: count) ?? .wouldBlock
        if case .bytes(let count) = result { sentCount &+= UInt64(count) }
        return result
    }

    /// Sends ciphertext until none is left or the kernel takes no more.
    func flush() throws(TransportError) {
        try unsafe drain { bytes throws(SystemCallError) in try unsafe socket?.send(bytes) ?? .wouldBlock }
    }

    private func drain(
        _ send: (UnsafeRawBufferPointer) throws(SystemCallError) -> IOResult
    ) throws(TransportError) {
        var failure: SystemCallError?
        let before = unsentCount
        defer { sentCount &+= UInt64(max(0, before - unsentCount)) }
        while failure == nil, hasUnsent {
            var isBlocked = false
            unsafe layers.drainOutgoing { bytes in
                do throws(SystemCallError) {
                    if case .bytes(let count) = try unsafe send(bytes) { return count }
                } catch {
                    failure = error
                }
                isBlocked = true
                return 0
            }
            if isBlocked { break }
        }
        if let failure { throw .system(failure) }
    }

    /// Continues the handshake with received ciphertext.
    func shakeHands(
        _ ciphertext: UnsafeRawBufferPointer, from offset: inout Int
    ) throws(TLSError) -> HandshakeProgress {
        try unsafe layers.handshake(ciphertext, from: &offset)
    }

    /// Reports that no more will be received.
    func endOfCiphertext() throws(TLSError) { try layers.endOfCiphertext() }

    /// Passes on answers about the server's certificates.
    func answer(_ answers: [RevocationQuestion: RevocationAnswer]) { layers.answer(answers) }

    /// Passes on a delegate's answer to the verdict about them.
    func answer(_ disposition: ServerTrustAnswer) { layers.answer(disposition) }

    /// Passes on the result of evaluating the server.
    func take(_ completed: CompletedEvaluation) { layers.take(completed) }

    /// Passes on the step in which the client's key has signed.
    func take(_ completed: CompletedSignature) { layers.take(completed) }

    /// The questions about them that the answers so far leave open.
    var openQuestions: [RevocationQuestion] { layers.trust?.openQuestions ?? [] }

    /// A tick of the loop begins.
    func beginTick() { isDrained = false }

    /// The number of received bytes, if all are opened.
    var workedOffCount: UInt64? { isOpened ? receivedCount : nil }

    /// Receives bytes as they arrive, and opens none.
    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(SystemCallError) -> IOResult {
        let result = try unsafe socket?.receive(into: buffer) ?? .wouldBlock
        if case .bytes(let count) = result { receivedCount &+= UInt64(count) }
        return result
    }

    /// Opens bytes received before, or receives and opens; at most `count` HTTP bytes, or one TLS record, the first of
    /// them in the plaintext buffer, or without TLS in the input buffer. The buffers are the same until `endTick`. Nil if
    /// received bytes were opened without a result: there may be more to receive.
    ///
    /// Records that were received together are opened together, at the price of each, if there is room for a whole one.
    func receive(
        _ buffers: ReceiveBuffers, atMost count: Int, isListening: Bool
    ) throws(TransportError) -> Received? {
        recordCount = 0
        if isOpened {
            guard isListening, !isDrained, owesTooMuch == false else { return .nothing }
            let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffers.input.prefix(max(1, count)))
            let result: IOResult
            do throws(SystemCallError) {
                result = try unsafe receive(into: room)
            } catch {
                throw .system(error)
            }
            switch result {
            case .wouldBlock: return .nothing
            case .endOfStream: return .endOfStream(isOrderly: !isSecure)
            case .bytes(let count):
                isDrained = count < room.count
                if !isSecure { return .bytes(count) }
                received = 0..<count
                isOpened = false
            }
        }
        if let postponed = postponed.take() { return try conclude(postponed) }
        let first = unsafe openNext(buffers, behind: 0)
        guard case .success(.bytes(var opened)) = first else { return try conclude(first) }
        recordCount = 1
        while !isOpened, unsafe buffers.plaintext.count - opened >= Self.recordSize,
            opened + recordCount * TickAllowance.record + Self.recordSize <= count
        {
            let next = unsafe openNext(buffers, behind: opened)
            guard case .success(.bytes(let more)) = next else {
                if case .success(.nothing) = next { isOpened = true } else { postponed = next }
                break
            }
            opened += more
            recordCount += 1
        }
        return .bytes(opened)
    }

    /// Opens one record or message.
    private func openNext(_ buffers: ReceiveBuffers, behind opened: Int) -> Result<Received, TLSError> {
        let plaintext = unsafe UnsafeMutableRawBufferPointer(rebasing: buffers.plaintext[opened...])
        var offset = 0
        let result: Result<Received, TLSError>
        if held.isEmpty {
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffers.input[received])
            result = Result { () throws(TLSError) in
                try unsafe layers.open(bytes, from: &offset, into: plaintext)
            }
            received = received.lowerBound + offset..<received.upperBound
        } else {
            let bytes = held
            result = unsafe bytes.withUnsafeBytes { bytes in
                Result { () throws(TLSError) in try unsafe layers.open(bytes, from: &offset, into: plaintext) }
            }
            held = bytes.dropFirst(offset)
        }
        // Most calls receive exactly one record, so that OpenSSL need not be called again to find nothing after it.
        if case .success(.bytes) = result { isOpened = received.isEmpty && held.isEmpty && !hasPending }
        return result
    }

    private func conclude(_ result: Result<Received, TLSError>) throws(TransportError) -> Received? {
        switch result {
        case .success(.bytes(let count)): return .bytes(count)
        case .success(.message): return .message
        case .success(.nothing):
            isOpened = true
            return nil
        case .success(.endOfStream(let isOrderly)):
            forgetInput()
            return .endOfStream(isOrderly: isOrderly)
        case .failure(let error):
            forgetInput()
            throw .tls(error)
        }
    }

    /// Whether received bytes are not opened yet.
    var holdsInput: Bool { !isOpened }

    /// Whether the kernel has bytes to receive, or an end of stream.
    var hasInput: Bool { socket?.hasInput == true }

    /// Keeps unopened bytes: the buffers are returned.
    func endTick(_ buffers: ReceiveBuffers) {
        if received.isEmpty { return }
        unsafe held.append(contentsOf: buffers.input[received])
        received = 0..<0
    }

    /// Enables the kernel's detection of a lost peer. It only saves time: sending to a dead peer fails as well.
    func detectDeadPeer() { try? socket?.detectDeadPeer() }

    /// Sets how much must have arrived before the socket is readable. It only saves time: receiving takes what is there.
    func setReceiveLowWater(_ count: Int) { try? socket?.setReceiveLowWater(count) }

    /// Makes the next close drop the bytes that the kernel has not sent.
    func resetOnClose() { socket?.resetOnClose() }

    private func forgetInput() {
        received = 0..<0
        held = []
        postponed = nil
        isOpened = true
    }

    /// Decrypts received bytes. Only for secure transports; a plain one needs no opening.
    func open(
        _ ciphertext: UnsafeRawBufferPointer, from offset: inout Int, into plaintext: UnsafeMutableRawBufferPointer
    ) throws(TLSError) -> Received {
        try unsafe layers.open(ciphertext, from: &offset, into: plaintext)
    }

    /// Whether received bytes wait to be opened.
    var hasPending: Bool { layers.hasPending }

    /// Sends close_notify (RFC 8446 §6.1) as far as the kernel takes it at once, without waiting. Close the socket
    /// next.
    func sayGoodbye() {
        layers.close()
        try? unsafe drain { bytes throws(SystemCallError) in try unsafe socket?.sendLast(bytes) ?? .wouldBlock }
    }

    /// Ends the sending half, and keeps receiving. False while earlier bytes wait for the kernel.
    func finish() throws(TransportError) -> Bool {
        layers.close()
        try flush()
        if hasUnsent { return false }
        do throws(SystemCallError) { try socket?.finish() } catch { throw .system(error) }
        return true
    }

    var tlsInfo: TLSInfo? { layers.info }

    /// The evaluation of the server's certificates.
    var trust: ServerTrustResult? { layers.trust }
}

/// Why a transport could not transfer bytes.
enum TransportError: Error {
    case system(SystemCallError)
    case tls(TLSError)

    var reason: SessionError.Reason {
        switch self {
        case .system(let error): .transfer(.connectionLost(error))
        case .tls(let error): .tls(error)
        }
    }
}

extension SessionError.Reason {
    /// A TLS failure after the handshake. In TLS 1.3 a client's handshake is complete before the server refuses its
    /// certificate.
    static func tls(_ error: TLSError) -> SessionError.Reason {
        if case .clientCertificateRequired = error.reason { return .connecting(.insecure(error)) }
        return .transfer(.tls(error))
    }
}

/// The result of receiving, or of opening received bytes.
enum Received: Hashable {
    /// This number of bytes.
    case bytes(Int)
    /// A TLS message without any.
    case message
    /// No more at present.
    case nothing
    /// No more ever. Over TLS only close_notify is an orderly end; without it an attacker may have cut the message
    /// short (RFC 8446 §6.1).
    case endOfStream(isOrderly: Bool)

    /// The result of opening a record; nil if there is none.
    init(_ opened: OpenResult?) {
        switch opened {
        case .bytes(let count): self = .bytes(count)
        case .message: self = .message
        case .needMoreBytes, nil: self = .nothing
        case .endOfStream: self = .endOfStream(isOrderly: true)
        }
    }
}

/// The buffers that sockets receive into, and that TLS is opened into. Lent by the reactor for a tick.
@unsafe struct ReceiveBuffers {
    var input: UnsafeMutableRawBufferPointer
    var plaintext: UnsafeMutableRawBufferPointer

    /// The same, without the destination of the HTTP bytes.
    func receiving(into room: UnsafeMutableRawBufferPointer, isOpened: Bool) -> ReceiveBuffers {
        var buffers = unsafe self
        if isOpened { unsafe buffers.plaintext = room } else { unsafe buffers.input = room }
        return unsafe buffers
    }

    /// The first HTTP bytes that a call of `Transport.receive` has returned.
    func received(_ count: Int, isOpened: Bool) -> UnsafeMutableRawBufferPointer {
        unsafe UnsafeMutableRawBufferPointer(rebasing: (isOpened ? plaintext : input)[..<count])
    }
}
