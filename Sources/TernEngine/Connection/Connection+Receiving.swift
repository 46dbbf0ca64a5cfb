// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO
import TernTLS

// Receives, opens, decodes and delivers.
extension Connection {
    /// The number of bytes received at once from an idle connection: enough for session tickets that arrive late.
    private static let restingBufferSize = 4096
    /// Moving fewer bytes of content than this is faster than asking for a receive buffer.
    private static let leastRoom = 16 * 1024
    /// The content of chunks smaller than this, in bytes, is joined before it is delivered, which is cheaper.
    private static let smallChunk = 4096
    /// The approximate size of joined content.
    private static let joinedAtOnce = 16 * 1024

    /// Receives as much as one tick allows; epoll or a visit continues later. If the peer has closed, another read
    /// follows even after one that has emptied the kernel's buffer.
    func receive(into buffers: ReceiveBuffers, toTheEnd: Bool = false) {
        transport.beginTick()
        var allowance = TickAllowance(among: loop.readyCount, receivedCount: transport.receivedCount)
        if !held.isEmpty { takeInHeld(&allowance) }
        while mayReceive(allowance), unsafe receiveOnce(buffers, &allowance) {
            if toTheEnd { transport.beginTick() }
        }
        unsafe lookBehindResponse(buffers)
        // A key update needs a reply.
        unsafe transport.endTick(buffers)
        if transport.hasUnsent { flush() }
        finishIfComplete()
        receivedIn = loop.tick
        askForVisit()
    }

    private func mayReceive(_ allowance: TickAllowance) -> Bool {
        switch state.stage {
        case .active: !mustStop(allowance) && held.isEmpty
        case .resting: !allowance.isSpent
        // Bytes that belong to no response are processed to the end, because they decide whether the connection can be
        // reused.
        case .finishing: transport.holdsInput
        case .closed: false
        }
    }

    /// Whether received bytes of a response wait for the next tick, or for the end of a pause.
    private func mustStop(_ allowance: TickAllowance) -> Bool {
        guard case .active = state.stage else { return false }
        return isPaused || allowance.isSpent
    }

    /// The next waiter gets the connection at once, so bytes that arrived during the delivery are processed first.
    private func lookBehindResponse(_ buffers: ReceiveBuffers) {
        guard case .finishing = state.stage, !state.isTainted, owner.isAwaited, transport.hasInput else {
            return
        }
        transport.beginTick()
        var allowance = TickAllowance(among: 1, receivedCount: transport.receivedCount)
        var isListening = true
        while unsafe receiveOnce(buffers, &allowance, isListening: isListening) { isListening = false }
        // No server sends that much between two exchanges.
        if transport.hasInput { follow(state.unexpectedBytes()) }
    }

    func askForVisit() {
        guard !held.isEmpty || transport.holdsInput, !isPaused else { return }
        loop.visitLater(token)
    }

    private func takeInHeld(_ allowance: inout TickAllowance) {
        if isPaused { return }
        var rest = HeldInput()
        swap(&rest, &held)
        if let content = rest.content.take() {
            unsafe content.withUnsafeBytes { bytes in
                let span = unsafe bytes.assumingMemoryBound(to: UInt8.self).span
                tell(.body(0..<span.count), of: span, &allowance)
            }
        }
        let decoded = unsafe rest.message.withUnsafeMutableBytes { bytes in unsafe decode(bytes, &allowance) }
        if case .active = state.stage { held.message = rest.message.dropFirst(decoded) }
    }

    /// Receives the bytes sent to an idle connection. The reactor's buffers may be in use: this may run within a call
    /// of another connection's delegate.
    func receiveResting() {
        unsafe withUnsafeTemporaryAllocation(byteCount: 2 * Self.restingBufferSize, alignment: 16) { buffer in
            let (first, second) = unsafe (buffer[..<Self.restingBufferSize], buffer[Self.restingBufferSize...])
            unsafe receive(into: ReceiveBuffers(input: .init(rebasing: first), plaintext: .init(rebasing: second)))
        }
        // No server sends that much between two exchanges.
        if case .resting = state.stage, transport.hasInput { retire() }
    }

    /// Content that is known to come next is received in its final place, if the delegate provides a buffer.
    private func place(_ buffers: ReceiveBuffers) -> ReceiveBuffers {
        guard exchange.contentLeft >= Self.leastRoom, case .active = state.stage,
            let room = unsafe delegate?.room(for: exchange.contentLeft)
        else { return unsafe buffers }
        return unsafe buffers.receiving(
            into: .init(rebasing: room.prefix(exchange.contentLeft)), isOpened: transport.isSecure)
    }

    /// Opens received bytes, or receives if allowed. Returns whether more may be available now.
    private func receiveOnce(
        _ buffers: ReceiveBuffers, _ allowance: inout TickAllowance, isListening: Bool? = nil
    ) -> Bool {
        let buffers = unsafe place(buffers)
        let received: Received
        do throws(TransportError) {
            received = try unsafe receiveNext(buffers, &allowance, isListening: isListening ?? isActiveOrResting)
        } catch {
            inputFailed(error)
            return false
        }
        switch received {
        case .nothing: return false
        case .message: allowance.spend(TickAllowance.message)
        case .bytes(let count):
            let bytes = unsafe buffers.received(count, isOpened: transport.isSecure)
            // Only application data counts as activity: a peer that only changes keys is idle.
            silence.end(loop.now)
            if transport.isSecure { allowance.spend(TickAllowance.record) }
            let decoded = unsafe decode(bytes, &allowance)
            if decoded < bytes.count, case .active = state.stage {
                held.message = unsafe Array(bytes[decoded...])[...]
            }
            // Bytes received at once are processed in one tick if possible.
            if let count = transport.workedOffCount { allowance.settle(count) }
        case .endOfStream(let isOrderly):
            inputEnded(isOrderly: isOrderly)
            return false
        }
        return true
    }

    private func receiveNext(
        _ buffers: ReceiveBuffers, _ allowance: inout TickAllowance, isListening: Bool
    ) throws(TransportError) -> Received {
        while true {
            let received = try unsafe transport.receive(buffers, atMost: allowance.left, isListening: isListening)
            if let received { return received }
            // Paid before there is more, although it ended in the middle of a record.
            if let count = transport.workedOffCount { allowance.settle(count) }
            if allowance.isSpent { return .nothing }
        }
    }

    private var isActiveOrResting: Bool {
        switch state.stage {
        case .active, .resting: true
        case .finishing, .closed: false
        }
    }

    /// Decodes and delivers. Returns the position reached: the end, unless the tick is over or the task is paused.
    private func decode(_ bytes: UnsafeMutableRawBufferPointer, _ allowance: inout TickAllowance) -> Int {
        // The buffer is borrowed, and does not move until this call returns. Decoded bytes may move between two reads.
        let input = unsafe bytes.assumingMemoryBound(to: UInt8.self)
        var offset = 0
        while true {
            guard case .active = state.stage else {
                if offset < bytes.count { follow(state.unexpectedBytes()) }
                return bytes.count
            }
            if held.content != nil { return offset }
            // The end of a response may be delivered without further bytes.
            if offset < bytes.count, mustStop(allowance) { return offset }
            do throws(HTTPProtocolError) {
                var event = try exchange.receive(unsafe input.span, from: &offset)
                switch event {
                case .needMoreBytes: return bytes.count
                case .handedOver:
                    switchProtocols(behind: unsafe Array(bytes[offset...]))
                    return bytes.count
                case .body(let content) where content.count < Self.smallChunk:
                    event = .body(unsafe join(content, in: input, upTo: &offset, &allowance))
                case .body, .head, .informational, .end: break
                }
                allowance.spend(TickAllowance.event)
                tell(event, of: unsafe input.span, &allowance)
            } catch {
                fail(.transfer(.malformedResponse(error)))
                return bytes.count
            }
        }
    }

    /// Moves the content of the following chunks up to `content`, over the framing between them: a chunk may hold one
    /// byte, and delivering each costs more than that.
    private func join(
        _ content: Range<Int>, in input: UnsafeMutableBufferPointer<UInt8>, upTo offset: inout Int,
        _ allowance: inout TickAllowance
    ) -> Range<Int> {
        let bytes = UnsafeMutableRawBufferPointer(input)
        var end = content.upperBound
        while end &- content.lowerBound < Self.joinedAtOnce, !allowance.isSpent,
            let next = exchange.receiveFurtherContent(unsafe input.span, from: &offset)
        {
            let place = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[end...])
            unsafe place.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[next]))
            end &+= next.count
            allowance.spend(TickAllowance.chunk)
        }
        return content.lowerBound..<end
    }

    private func tell(_ event: ResponseEvent, of bytes: Span<UInt8>, _ allowance: inout TickAllowance) {
        if case .head = event { silence.answered() }
        let taken = delegate?.received(event, of: bytes, &allowance) ?? .all
        switch event {
        case .body(let range):
            guard case .some(let count) = taken, case .active = state.stage else { return }
            let rest = bytes.extracting((range.lowerBound + min(count, range.count))..<range.upperBound)
            held.content = unsafe rest.withUnsafeBufferPointer { unsafe Array($0) }[...]
        case .end: state.responseEnded()
        case .head: permissionMayHaveCome(isFinal: true)
        case .informational: permissionMayHaveCome(isFinal: false)
        case .needMoreBytes, .handedOver: break
        }
    }

    private func inputFailed(_ error: TransportError) {
        switch error {
        case .system(let error): follow(state.inputEnded(), error)
        case .tls(let error):
            // A complete response stays complete, whatever follows it.
            if case .finishing = state.stage { follow(state.unexpectedBytes()) } else { end(.tls(error)) }
        }
    }

    private func inputEnded(isOrderly: Bool) {
        if case .active = state.stage, isOrderly, let event = try? exchange.receiveEndOfStream() {
            if case .handedOver = event { return switchProtocols(behind: [], hasEnded: true) }
            var allowance = TickAllowance(among: 1, receivedCount: 0)
            tell(event, of: Span(), &allowance)
        } else {
            follow(state.inputEnded())
        }
    }
}
