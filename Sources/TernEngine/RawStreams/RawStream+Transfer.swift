// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import TernTLS

// The driver
extension RawStream {
    func ready(_ readiness: Readiness) {
        if readiness.contains(.deadline) {
            reads.timePassed(loop.now)
            writes.timePassed(loop.now)
        }
        advance()
    }

    /// Does all work that is possible now, calls the completions, and waits for the rest.
    func advance() {
        while case .open = stage, let next = later.popFirst() { next() }
        guard let handover else { return answer() }
        if !isPaused {
            receive(handover.transport)
            send(handover.transport)
        }
        answer()
        settle()
        if reads.isOver, writes.isOver { return finish((reads.failure ?? writes.failure).map(failure)) }
        wait()
    }

    var handover: Handover? {
        switch stage {
        case .open(let handover), .settling(let handover, _): handover
        case .created, .opening, .securing, .over: nil
        }
    }

    private func receive(_ transport: Transport) {
        transport.beginTick()
        var left = Self.callsPerTick
        // Lent by the loop for this call.
        let buffers = unsafe ReceiveBuffers(input: loop.receiveBuffer, plaintext: loop.scratchBuffer)
        while reads.wanted > 0, left > 0, unsafe receiveOnce(transport, buffers) { left -= 1 }
        unsafe transport.endTick(buffers)
    }

    private func receiveOnce(_ transport: Transport, _ buffers: ReceiveBuffers) -> Bool {
        let wanted = transport.isSecure ? max(reads.wanted, Self.sealedAtOnce) : reads.wanted
        do throws(TransportError) {
            switch try unsafe transport.receive(buffers, atMost: wanted, isListening: true) {
            case .bytes(let count):
                let bytes = unsafe buffers.received(count, isOpened: transport.isSecure)
                reads.received(unsafe bytes.assumingMemoryBound(to: UInt8.self).span)
                return true
            case .message, nil: return true
            case .nothing: return false
            case .endOfStream(isOrderly: true): reads.ended()
            // An attacker may have cut off a stream that does not announce its end (RFC 8446 §6.1).
            case .endOfStream(isOrderly: false): fail(.tls(TLSError(.truncated)))
            }
        } catch {
            fail(error.reason)
        }
        return false
    }

    /// The connection is broken.
    func fail(_ reason: SessionError.Reason) {
        reads.fail(reason)
        writes.fail(reason)
    }

    private func send(_ transport: Transport) {
        do throws(TransportError) {
            var left = Self.callsPerTick
            while left > 0, let (data, start) = writes.first, start < data.count {
                let count = try Self.send(data, from: start, over: transport)
                if count == 0 { break }
                writes.sent(count)
                left -= 1
            }
            try transport.flush()
            if writes.mayEnd, try transport.finish() { writes.ended() }
        } catch {
            // Bytes that the peer sent before can still be read.
            writes.fail(error.reason)
        }
    }

    private static func send(_ data: Data, from start: Int, over transport: Transport) throws(TransportError) -> Int {
        try unsafe data.withUnsafeBytes { bytes in
            Result { () throws(TransportError) in
                try unsafe transport.send(UnsafeRawBufferPointer(rebasing: bytes[start...]))
            }
        }.get()
    }

    /// Calls the completions of finished work.
    func answer() {
        while let answer = reads.next(at: loop.now) { tell(answer) }
        while let answer = writes.next(at: loop.now) { tell(answer) }
        if reads.isOver, !toldReadClosed {
            toldReadClosed = true
            listener?.streamReadClosed()
        }
        if writes.isOver, !toldWriteClosed {
            toldWriteClosed = true
            listener?.streamWriteClosed()
        }
    }

    func tell(_ answer: StreamReads<ReadCompletion>.Answer) {
        switch answer.outcome {
        case .bytes(let bytes, let isAtEnd): answer.waiter(.success((bytes, isAtEnd)))
        case .failed(let reason): answer.waiter(.failure(failure(reason)))
        }
    }

    func tell(_ answer: StreamWrites<WriteCompletion>.Answer) {
        answer.waiter(answer.failure.map(failure))
    }

    func failure(_ reason: SessionError.Reason) -> StreamFailure {
        StreamFailure(reason: reason, phase: cause?.phase ?? .body, remoteAddress: cause?.remoteAddress)
    }

    /// Starts the handshake, if all earlier calls are done.
    private func settle() {
        guard case .settling(let handover, let server) = stage, !reads.isAsked, !writes.isAsked,
            !handover.transport.hasUnsent
        else { return }
        // Bytes received in the clear must not be read as bytes received over TLS.
        if reads.hasBytes { return fail(.transfer(.malformedResponse(.unexpectedBytes))) }
        if reads.isOver || writes.isOver { return fail(.request(.streamClosed)) }
        stage = .securing
        loop.setDeadline(nil, for: handover.token)
        assistant.secure(handover, with: server) { [weak self] in self?.opened($0) }
    }

    func wait() {
        guard let handover else { return }
        loop.setDeadline([reads.deadline, writes.deadline].compactMap(\.self).min(), for: handover.token)
        var interest: Interest = []
        if !isPaused {
            // Stop receiving from a peer that keeps requesting replies and does not read them.
            if reads.wanted > 0, !handover.transport.owesTooMuch { interest.insert(.readable) }
            if writes.first != nil || handover.transport.hasUnsent { interest.insert(.writable) }
        }
        do throws(SystemCallError) {
            try loop.setInterest(interest, for: handover.token)
        } catch {
            return end(StreamFailure(reason: .system(error)))
        }
        if reads.wanted > 0, handover.transport.holdsInput, !isPaused { loop.visitLater(handover.token) }
    }

    /// For good.
    func finish(_ failure: StreamFailure?) {
        if case .over = stage { return }
        let handover = handover
        stage = .over
        assistant.cancel()
        if let handover {
            if failure != nil { handover.transport.resetOnClose() } else { handover.transport.sayGoodbye() }
            handover.discard(on: loop)
        }
        while let next = later.popFirst() { next() }
        answer()
        listener?.streamEnded(failure)
        listener = nil
        whenOver.take()?()
    }
}
