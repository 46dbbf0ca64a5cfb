// SPDX-License-Identifier: Apache-2.0
// Safety: buffers are lent by the loop for one tick, and bytes are lent for one call.
import TernHTTP1
import TernIO

/// Drives the dialogue with a proxy over a transport. Ends with one call of `completion`, or without one if it is
/// cancelled.
///
/// A tick reads as much of an answer as its allowance permits, and the next one reads on: a proxy, or who stands before it,
/// chooses how much work an answer is.
final class TunnelOpener: ReadinessHandler {
    /// What has become of the dialogue.
    enum Outcome {
        /// The tunnel is open; what its other end has sent already.
        case open(Transport, early: [UInt8])
        /// Begin again, over a new connection.
        case repeated
        case failed(SessionError.Reason)
    }

    /// The number of bytes received at once, and paid for before there are more. Few answers are longer.
    static let receiveSize = 1024

    private var transport: Transport?
    private let token: RegistrationToken
    private let loop: ReactorLoop
    private var handshake: any TunnelHandshake
    /// Whether the other end of the tunnel may send first.
    private let letsServerBegin: Bool
    private var completion: ((Outcome) -> Void)?
    private var unsent: [UInt8] = []
    private var early: [UInt8] = []
    private var isOpen = false
    /// The tick in which bytes were last received: an event and a visit may come in one.
    private var receivedIn: UInt64 = 0

    /// Takes over the registration `token`, which passes to the new owner of the transport.
    init(
        _ handshake: any TunnelHandshake, transport: Transport, token: RegistrationToken, loop: ReactorLoop,
        letsServerBegin: Bool, completion: @escaping (Outcome) -> Void
    ) {
        (self.handshake, self.transport, self.token, self.loop) = (handshake, transport, token, loop)
        (self.letsServerBegin, self.completion) = (letsServerBegin, completion)
    }

    func start() {
        advance { () throws(SessionError.Reason) in
            try self.wrap { () throws(SystemCallError) in
                try self.loop.transfer(self.token, to: self, interest: .readable)
            }
            try self.wrap { () throws(ProxyError) in self.unsent = try self.handshake.begin() }
            try self.flush()
            return nil
        }
    }

    func cancel() {
        completion = nil
        loop.deregister(token)
        transport.take()?.close()
    }

    /// The final head of the answer to CONNECT; nil before that, and in SOCKS.
    var answer: ResponseHead? { handshake.answer }

    /// The error when time is up; nil for that of the timeout.
    var failure: SessionError.Reason? { handshake.brokenOff().map { .connecting(.proxy($0)) } }

    func ready(_ readiness: Readiness) {
        advance { () throws(SessionError.Reason) in
            if readiness.contains(.writable) { try self.flush() }
            return try self.receive()
        }
    }

    private func advance(_ step: () throws(SessionError.Reason) -> Outcome?) {
        let outcome: Outcome?
        do throws(SessionError.Reason) { outcome = try step() } catch { outcome = .failed(error) }
        guard let outcome, let completion = completion.take() else { return }
        if case .open = outcome {
            transport = nil
        } else {
            cancel()
        }
        completion(outcome)
    }

    /// Receives as much as one tick allows; epoll or a visit continues later.
    private func receive() throws(SessionError.Reason) -> Outcome? {
        guard let transport, receivedIn != loop.tick else { return nil }
        receivedIn = loop.tick
        let buffers = unsafe ReceiveBuffers(input: loop.receiveBuffer, plaintext: loop.scratchBuffer)
        transport.beginTick()
        defer { unsafe transport.endTick(buffers) }
        var allowance = TickAllowance(among: loop.readyCount, receivedCount: transport.receivedCount)
        // Once it is open, nothing may be left in the layers of the transport for those that follow, and nothing more is
        // received: the rest is at most what the last call has.
        while isOpen || !allowance.isSpent {
            let received: Received?
            do throws(TransportError) {
                received = try unsafe transport.receive(buffers, atMost: Self.receiveSize, isListening: !isOpen)
            } catch {
                throw handshake.brokenOff().map { .connecting(.proxy($0)) } ?? error.reason
            }
            if let count = transport.workedOffCount { allowance.settle(count) }
            switch received {
            case .bytes(let count):
                // A byte may be a chunk.
                allowance.spend(TickAllowance.chunk * count + TickAllowance.record * transport.recordCount)
                let bytes = unsafe Array(buffers.received(count, isOpened: transport.isSecure))
                if try take(bytes) { return .repeated }
            case .message: allowance.spend(TickAllowance.message)
            case nil: continue
            case .nothing:
                return isOpen ? .open(transport, early: early) : nil
            case .endOfStream:
                if isOpen { throw .transfer(.connectionLost(nil)) }
                throw .connecting(.proxy(handshake.brokenOff() ?? .closed))
            }
        }
        if transport.holdsInput { loop.visitLater(token) }
        return nil
    }

    /// Whether the dialogue begins again.
    private func take(_ bytes: [UInt8]) throws(SessionError.Reason) -> Bool {
        var offset = 0
        while !isOpen {
            var step = TunnelStep.wait
            try wrap { () throws(ProxyError) in step = try handshake.receive(bytes, from: &offset) }
            switch step {
            case .wait: return false
            case .send(let answer):
                unsent += answer
                try flush()
            case .open: isOpen = true
            case .repeated: return true
            }
        }
        if offset == bytes.count { return false }
        // Before the client has sent anything, only a server of another protocol than TLS and HTTP may (RFC 9110 §9.3.6).
        guard letsServerBegin else { throw .connecting(.proxy(.unexpectedBytes)) }
        early += bytes[offset...]
        return false
    }

    private func flush() throws(SessionError.Reason) {
        do throws(TransportError) {
            while !unsent.isEmpty, let transport {
                let count = try transport.send(unsent)
                if count == 0 { break }
                unsent.removeFirst(count)
            }
            if unsent.isEmpty { try transport?.flush() }
        } catch {
            throw error.reason
        }
        let isSending = !unsent.isEmpty || transport?.hasUnsent == true
        try wrap { () throws(SystemCallError) in
            try loop.setInterest(isSending ? [.readable, .writable] : .readable, for: token)
        }
    }

    private func wrap(_ body: () throws(SystemCallError) -> Void) throws(SessionError.Reason) {
        do throws(SystemCallError) { try body() } catch { throw .system(error) }
    }

    private func wrap(_ body: () throws(ProxyError) -> Void) throws(SessionError.Reason) {
        do throws(ProxyError) { try body() } catch { throw .connecting(.proxy(error)) }
    }
}

extension Route.Tunnel {
    /// The dialogue that has the proxy open the tunnel.
    ///
    /// - Parameters:
    ///   - address: what the proxy connects to, if the client has resolved and judged it; nil for the name.
    ///   - isFirst: whether the proxy has not refused a login yet.
    ///   - isLast: whether no further challenge is answered.
    func handshake(
        to address: IPAddress?, _ logins: ProxyLogins, limits: ParsingLimits, isFirst: Bool, isLast: Bool
    ) -> any TunnelHandshake {
        switch proxy.kind.tunnelProtocol {
        case .connect:
            let end = address.map { HTTPOrigin(scheme: target.scheme, host: "\($0)", port: target.port) } ?? target
            return ConnectHandshake(proxy, to: end, logins, limits: limits, isFirst: isFirst, isLast: isLast)
        case .socks4, .socks5:
            let (host, port) = (target.certifiedHost, target.port)
            let address = (address ?? IPAddress(literal: host)).map { SOCKSHandshake.Target.address($0, port: port) }
            return SOCKSHandshake(proxy.kind, proxy.credential, to: address ?? .name(host, port: port))
        }
    }
}
