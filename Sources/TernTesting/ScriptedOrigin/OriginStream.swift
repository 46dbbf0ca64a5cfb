// SPDX-License-Identifier: Apache-2.0

/// The bytes of one connection, plain or through TLS. Used only by the connection's thread.
final class OriginStream {
    private let socket: OriginSocket
    private let tls: TLSServerSession?
    private let stop: Latch
    private let log: ObservationLog
    private var scratch = [UInt8](repeating: 0, count: 65_536)
    /// Ciphertext that `buffer(wire:)` received before the engine asked for it.
    private var early: [UInt8] = []
    private var isSecured = false

    init(_ socket: consuming OriginSocket, tls: TLSServerSession?, stop: Latch, log: ObservationLog) {
        self.socket = socket
        self.tls = tls
        self.stop = stop
        self.log = log
    }

    /// The result of the handshake the first time it completes; nil over plain TCP and later.
    func shakeHands() throws(ConnectionEnd) -> TLSServerSession? {
        guard let tls, !isSecured else { return nil }
        while case .needsInput = try driving({ () throws(ConnectionEnd) in try tls.shakeHands() }) { try feed(tls) }
        isSecured = true
        return tls
    }

    /// Appends at least one byte of content.
    func receive(into buffer: inout [UInt8]) throws(ConnectionEnd) {
        guard let tls, isSecured else { return try receiveWire(into: &buffer) }
        while true {
            var count = 0
            let progress = try driving { () throws(ConnectionEnd) in
                let (progress, plaintextCount) = try tls.read(into: &scratch)
                count = plaintextCount
                return progress
            }
            guard case .needsInput = progress else {
                buffer += scratch[..<count]
                return
            }
            try feed(tls)
        }
    }

    /// Sends all of it.
    func send(_ bytes: [UInt8]) throws(ConnectionEnd) {
        guard let tls, isSecured else { return try sendWire(bytes) }
        _ = try driving { () throws(ConnectionEnd) in
            try tls.write(bytes)
            return .done
        }
    }

    /// Sends all of it below TLS.
    func sendWire(_ bytes: [UInt8]) throws(ConnectionEnd) {
        var sent = 0
        while sent < bytes.count {
            switch unsafe socket.send(bytes.span.bytes.extracting(sent..<bytes.count)) {
            case .bytes(let count):
                sent += count
                log.record(sent: count)
            case .wouldBlock: try wait(.writable)
            case .reset: throw .client(.reset)
            }
        }
    }

    /// Waits until this number of bytes has arrived for the handshake.
    func buffer(wire count: Int) throws(ConnectionEnd) {
        while early.count < count { try receiveWire(into: &early) }
    }

    /// Removes and returns the first bytes on the wire, as many as `length` says of those that have arrived; nil for more.
    func take(_ length: ([UInt8]) -> Int?) throws(ConnectionEnd) -> [UInt8] {
        while true {
            if let count = length(early) {
                defer { early.removeFirst(count) }
                return Array(early[..<count])
            }
            try receiveWire(into: &early)
        }
    }

    /// Returns the bytes that `buffer(wire:)` has received: over plain TCP they are content.
    func takeEarly() -> [UInt8] {
        guard tls == nil else { return [] }
        defer { early = [] }
        return early
    }

    func updateKeys() throws(ConnectionEnd) {
        guard let tls, isSecured else { return }
        _ = try driving { () throws(ConnectionEnd) in
            try tls.updateKeys()
            return .done
        }
    }

    /// Waits. Ends early, by throwing, if the client closes.
    func pause(_ duration: Duration?, until release: Latch? = nil) throws(ConnectionEnd) {
        if try !pauseUnlessClosed(duration, until: release) { try drain() }
    }

    /// Waits. False, and early, if the client closes; what it has sent before is unread.
    func pauseUnlessClosed(_ duration: Duration?, until release: Latch? = nil) throws(ConnectionEnd) -> Bool {
        let deadline = duration.map { ContinuousClock.now + $0 }
        switch socket.wait(.peerClosed, until: deadline, latches: [stop] + (release.map { [$0] } ?? [])) {
        case .timeout: return true
        case .latch:
            if stop.isOpen { throw .stopped }
            return true
        case .ready: return false
        }
    }

    /// Reads and discards until the client closes, and throws how it did.
    func drain() throws(ConnectionEnd) {
        var discarded: [UInt8] = []
        while true {
            try receive(into: &discarded)
            discarded.removeAll(keepingCapacity: true)
        }
    }

    /// Relays bytes between the client and a server, and passes the end of either on. Ends with the connection, by throwing, or
    /// with what the client has sent behind a request, which no server gets unless it is in a tunnel.
    ///
    /// - Parameters:
    ///   - first: sent to the server before what arrives.
    ///   - limit: the number of bytes for the client after which the connection ends.
    ///   - moved: called with the numbers of bytes that went to the server and to the client.
    func relay(
        with server: borrowing OriginSocket, first: [UInt8], isTunnel: Bool, limit: Int?,
        moved: (_ toServer: Int, _ toClient: Int) -> Void
    ) throws(ConnectionEnd) -> [UInt8] {
        var (toServer, toClient, left) = (first, [UInt8](), limit ?? .max)
        var (isClientOpen, isServerOpen) = (true, true)
        while true {
            if isServerOpen, toClient.isEmpty {
                var bytes: [UInt8] = []
                isServerOpen = try receive(from: server, into: &bytes)
                bytes = Array(bytes.prefix(left))
                left -= bytes.count
                moved(0, bytes.count)
                toClient = try sealed(bytes)
            }
            if isClientOpen, toServer.isEmpty, isTunnel || toClient.isEmpty {
                isClientOpen = try receiveNow(into: &toServer)
                if !isTunnel, !toServer.isEmpty { return toServer }
            }
            moved(try send(&toServer, to: server), 0)
            log.record(sent: try send(&toClient, to: socket))
            if !isClientOpen, toServer.isEmpty { server.finishSending() }
            if toClient.isEmpty, !isServerOpen || left == 0 {
                guard isTunnel, tls == nil, isClientOpen, left > 0 else {
                    try finish(notify: true)
                    throw .script
                }
                socket.finishSending()
            }
            let isListening = isClientOpen && toServer.isEmpty && (isTunnel || toClient.isEmpty)
            let woken = socket.wait(
                (isListening ? [.readable] : []) + (toClient.isEmpty ? [] : [.writable]), or: server,
                (isServerOpen && toClient.isEmpty ? [.readable] : []) + (toServer.isEmpty ? [] : [.writable]),
                latch: stop)
            if case .latch = woken { throw .stopped }
        }
    }

    /// Sends close_notify if requested, then FIN.
    func finish(notify: Bool) throws(ConnectionEnd) {
        if notify, let tls, isSecured {
            _ = try driving { () throws(ConnectionEnd) in
                tls.notifyClose()
                return .done
            }
        }
        socket.finishSending()
        // Unread bytes would turn the close into a RST.
        while case .bytes(let count) = socket.receive(into: &scratch) { log.record(received: count) }
    }

    func armReset() { socket.armReset() }

    /// Runs the TLS session, then sends its output, including its alert if it failed.
    private func driving(
        _ work: () throws(ConnectionEnd) -> TLSServerSession.Progress
    ) throws(ConnectionEnd) -> TLSServerSession.Progress {
        let outcome: Result<TLSServerSession.Progress, ConnectionEnd>
        do { outcome = .success(try work()) } catch { outcome = .failure(error) }
        if let output = tls?.takeOutput(), !output.isEmpty {
            do { try sendWire(output) } catch { if case .success = outcome { throw error } }
        }
        return try outcome.get()
    }

    private func feed(_ tls: TLSServerSession) throws(ConnectionEnd) {
        if early.isEmpty { try receiveWire(into: &early) }
        tls.feed(early)
        early.removeAll(keepingCapacity: true)
    }

    private func receiveWire(into buffer: inout [UInt8]) throws(ConnectionEnd) {
        while true {
            switch socket.receive(into: &scratch) {
            case .bytes(let count):
                log.record(received: count)
                buffer += scratch[..<count]
                return
            case .wouldBlock: try wait(.readable)
            case .end: throw .client(.fin)
            case .reset: throw .client(.reset)
            }
        }
    }

    /// Appends the content that has arrived; false at its end.
    private func receiveNow(into buffer: inout [UInt8]) throws(ConnectionEnd) -> Bool {
        var wire: [UInt8] = []
        let isOpen = try receive(from: socket, into: &wire)
        log.record(received: wire.count)
        guard let tls, isSecured else {
            buffer += wire
            return isOpen
        }
        tls.feed(wire)
        do throws(ConnectionEnd) {
            while case let (progress, count) = try tls.read(into: &scratch), case .done = progress {
                buffer += scratch[..<count]
            }
            return isOpen
        } catch .client(.closeNotify) {
            return false
        }
    }

    /// Appends what one of two peers has sent; false at its end. A reset is passed on to the client.
    private func receive(from peer: borrowing OriginSocket, into buffer: inout [UInt8]) throws(ConnectionEnd) -> Bool {
        switch peer.receive(into: &scratch) {
        case .bytes(let count): buffer += scratch[..<count]
        case .wouldBlock: break
        case .end: return false
        case .reset:
            socket.armReset()
            throw .client(.reset)
        }
        return true
    }

    /// Removes what a peer has room for, and returns how much that is.
    private func send(_ bytes: inout [UInt8], to peer: borrowing OriginSocket) throws(ConnectionEnd) -> Int {
        guard !bytes.isEmpty else { return 0 }
        switch unsafe peer.send(bytes.span.bytes) {
        case .bytes(let count):
            bytes.removeFirst(count)
            return count
        case .wouldBlock: return 0
        case .reset:
            socket.armReset()
            throw .client(.reset)
        }
    }

    private func sealed(_ bytes: [UInt8]) throws(ConnectionEnd) -> [UInt8] {
        guard let tls, isSecured, !bytes.isEmpty else { return bytes }
        try tls.write(bytes)
        return tls.takeOutput()
    }

    private func wait(_ wish: OriginSocket.Wait) throws(ConnectionEnd) {
        if case .latch = socket.wait(wish, latches: [stop]) { throw .stopped }
    }
}
