// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO
import TernTLS

// In: receive, open, decode, tell.
extension Connection {
    /// Bytes received at once from a resting connection: enough for the session tickets that may come late.
    private static let restingBufferSize = 4096
    /// Less than so much content is moved faster than room is asked for.
    private static let leastRoom = 16 * 1024
    /// What comes in chunks smaller than this is told more cheaply together, in bytes.
    private static let smallChunk = 4096
    /// And so much of it at once, or a little more.
    private static let joinedAtOnce = 16 * 1024

    /// Receives as much as one turn allows; epoll or a visit brings us back to the rest. If the peer has closed, even a
    /// read that has emptied the kernel's buffer is not the last.
    func receive(into buffers: ReceiveBuffers, toTheEnd: Bool = false) {
        transport.beginTurn()
        var allowance = TurnAllowance(among: loop.readyCount, receivedCount: transport.receivedCount)
        if !held.isEmpty { takeInHeld(&allowance) }
        while mayReceive(allowance), unsafe receiveOnce(buffers, &allowance) {
            if toTheEnd { transport.beginTurn() }
        }
        unsafe lookBehindResponse(buffers)
        // A key update asks for an answer.
        unsafe transport.endTurn(buffers)
        if transport.hasUnsent { flush() }
        finishIfComplete()
        receivedIn = loop.turn
        askForVisit()
    }

    private func mayReceive(_ allowance: TurnAllowance) -> Bool {
        switch state.stage {
        case .active: !mustStop(allowance) && held.isEmpty
        case .resting: !allowance.isSpent
        // What belongs to no response is looked at to the end, because it decides what becomes of the connection.
        case .finishing: transport.holdsInput
        case .closed: false
        }
    }

    /// Whether what has been received of a response waits for the next turn, or the end of a pause.
    private func mustStop(_ allowance: TurnAllowance) -> Bool {
        guard case .active = state.stage else { return false }
        return isPaused || allowance.isSpent
    }

    /// The next waiter gets the connection at once, so what arrived while the response was delivered is looked at
    /// first.
    private func lookBehindResponse(_ buffers: ReceiveBuffers) {
        guard case .finishing = state.stage, !state.isTainted, owner.isAwaited, transport.hasInput else {
            return
        }
        transport.beginTurn()
        var allowance = TurnAllowance(among: 1, receivedCount: transport.receivedCount)
        var isListening = true
        while unsafe receiveOnce(buffers, &allowance, isListening: isListening) { isListening = false }
        // No server has so much to say between two exchanges.
        if transport.hasInput { follow(state.strayOctets()) }
    }

    func askForVisit() {
        guard !held.isEmpty || transport.holdsInput, !isPaused else { return }
        loop.visitLater(token)
    }

    private func takeInHeld(_ allowance: inout TurnAllowance) {
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

    /// Receives what an idle connection has been sent. The reactor's buffers may be in use: a delegate that wants this
    /// connection may have been called while another connection reads from them.
    func receiveResting() {
        unsafe withUnsafeTemporaryAllocation(byteCount: 2 * Self.restingBufferSize, alignment: 16) { buffer in
            let (first, second) = unsafe (buffer[..<Self.restingBufferSize], buffer[Self.restingBufferSize...])
            unsafe receive(into: ReceiveBuffers(input: .init(rebasing: first), plaintext: .init(rebasing: second)))
        }
        // No server has so much to say between two exchanges.
        if case .resting = state.stage, transport.hasInput { retire() }
    }

    /// Content that is known to come next is received where it will stay, if the delegate has room.
    private func place(_ buffers: ReceiveBuffers) -> ReceiveBuffers {
        guard exchange.contentLeft >= Self.leastRoom, case .active = state.stage,
            let room = unsafe delegate?.room(for: exchange.contentLeft)
        else { return unsafe buffers }
        return unsafe buffers.receiving(
            into: .init(rebasing: room.prefix(exchange.contentLeft)), isOpened: transport.isSecure)
    }

    /// Opens what has been received, or receives if it may. Returns whether there may be more now.
    private func receiveOnce(
        _ buffers: ReceiveBuffers, _ allowance: inout TurnAllowance, isListening: Bool? = nil
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
        case .message: allowance.spend(TurnAllowance.message)
        case .bytes(let count):
            let bytes = unsafe buffers.received(count, isOpened: transport.isSecure)
            // Progress is what the application gets: a peer that only changes keys is silent.
            silence.end(loop.now)
            if transport.isSecure { allowance.spend(TurnAllowance.record) }
            let decoded = unsafe decode(bytes, &allowance)
            if decoded < bytes.count, case .active = state.stage {
                held.message = unsafe Array(bytes[decoded...])[...]
            }
            // What was received at once is worked off in one turn if it can be.
            if let count = transport.workedOffCount { allowance.settle(count) }
        case .endOfStream(let isOrderly):
            inputEnded(isOrderly: isOrderly)
            return false
        }
        return true
    }

    private func receiveNext(
        _ buffers: ReceiveBuffers, _ allowance: inout TurnAllowance, isListening: Bool
    ) throws(TransportError) -> Received {
        while true {
            let received = try unsafe transport.receive(buffers, atMost: allowance.left, isListening: isListening)
            if let received { return received }
            // Paid for before there is more, although it ended in the middle of a record.
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

    /// Decodes and tells. Returns how far it went: to the end but where the turn is over or the task paused.
    private func decode(_ bytes: UnsafeMutableRawBufferPointer, _ allowance: inout TurnAllowance) -> Int {
        // The buffer is lent to us, and stays put until this call returns. What has been decoded may be moved between
        // two looks.
        let octets = unsafe bytes.assumingMemoryBound(to: UInt8.self)
        var offset = 0
        while true {
            guard case .active = state.stage else {
                if offset < bytes.count { follow(state.strayOctets()) }
                return bytes.count
            }
            if held.content != nil { return offset }
            // The end of a response may be told with no byte left to tell it by.
            if offset < bytes.count, mustStop(allowance) { return offset }
            do throws(HTTPProtocolError) {
                var event = try exchange.receive(unsafe octets.span, from: &offset)
                switch event {
                case .needMoreBytes: return bytes.count
                case .handedOver:
                    switchProtocols(behind: unsafe Array(bytes[offset...]))
                    return bytes.count
                case .body(let content) where content.count < Self.smallChunk:
                    event = .body(unsafe join(content, in: octets, upTo: &offset, &allowance))
                case .body, .head, .informational, .end: break
                }
                allowance.spend(TurnAllowance.event)
                tell(event, of: unsafe octets.span, &allowance)
            } catch {
                fail(.transfer(.malformedResponse(error)))
                return bytes.count
            }
        }
    }

    /// Moves the content of the chunks that follow up to `content`, over the framing between them: a chunk may hold one
    /// byte, and to tell of each costs more than that.
    private func join(
        _ content: Range<Int>, in octets: UnsafeMutableBufferPointer<UInt8>, upTo offset: inout Int,
        _ allowance: inout TurnAllowance
    ) -> Range<Int> {
        let bytes = UnsafeMutableRawBufferPointer(octets)
        var end = content.upperBound
        while end &- content.lowerBound < Self.joinedAtOnce, !allowance.isSpent,
            let next = exchange.receiveFurtherContent(unsafe octets.span, from: &offset)
        {
            let place = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[end...])
            unsafe place.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[next]))
            end &+= next.count
            allowance.spend(TurnAllowance.chunk)
        }
        return content.lowerBound..<end
    }

    private func tell(_ event: ResponseEvent, of bytes: Span<UInt8>, _ allowance: inout TurnAllowance) {
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
            // A response that is complete stays so, whatever follows it.
            if case .finishing = state.stage { follow(state.strayOctets()) } else { end(.connecting(.insecure(error))) }
        }
    }

    private func inputEnded(isOrderly: Bool) {
        if case .active = state.stage, isOrderly, let event = try? exchange.receiveEndOfStream() {
            if case .handedOver = event { return switchProtocols(behind: [], hasEnded: true) }
            var allowance = TurnAllowance(among: 1, receivedCount: 0)
            tell(event, of: Span(), &allowance)
        } else {
            follow(state.inputEnded())
        }
    }
}
