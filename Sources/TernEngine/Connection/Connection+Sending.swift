// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

// Encodes, seals and sends.
extension Connection {
    /// Whether a part of the request, or of a reply to the peer's messages, has not been sent.
    var isSending: Bool { !outgoing.isSent || transport.hasUnsent }

    /// Whether the kernel must take more bytes first.
    private var isBlocked: Bool {
        if case .writability = outgoing.waitReason { return true }
        return transport.hasUnsent
    }

    /// Sends until everything is sent, the kernel takes no more, or something else must happen first.
    func flush() {
        let result = Result { () throws(SendingError) in
            // A complete response stays complete, whatever happens to the request.
            if case .active = state.stage { try sendRequest() }
            do throws(TransportError) {
                // Bytes that the kernel did not take before, with no new ones.
                try transport.flush()
            } catch {
                throw .transport(error)
            }
        }
        let sent = transport.sentCount
        noteSent(sent != sentBefore, isAll: !isSending)
        sentBefore = sent
        if mustWatchSending { setDeadline() }
        switch result {
        case .success: updateInterest()
        case .failure(.transport(.system(let error))): return sendingFailed(error)
        case .failure(.transport(.tls(let error))): return end(.tls(error))
        case .failure(.content(let error)): return end(.request(.body(error)))
        }
        let content = outgoing.contentHandedOver
        if content != contentTold {
            contentTold = content
            delegate?.sent(content, of: outgoing.contentLength)
        }
    }

    /// Sends as much as one tick allows. A content source may run any code, and cause the connection to be closed.
    private func sendRequest() throws(SendingError) {
        var allowance = TickAllowance(among: loop.readyCount)
        while true {
            switch try outgoing.send(over: transport, on: &exchange, &allowance) {
            case .wait: return
            case .make(let make):
                let source: any BodySource
                do { source = try make() } catch { throw .content(.failed(error)) }
                if !outgoing.take(source) { source.finish() }
            case .ask(let source):
                if outgoing.takesStretches, let stretch = (source as? any FileBodySource)?.nextStretch() {
                    if try !outgoing.take(stretch, of: source) { source.finish() }
                    continue
                }
                let piece = source.next(atMost: OutgoingRequest.pieceSize, wake: wakeUp)
                if try !outgoing.take(piece, of: source, on: &exchange, &allowance) { source.finish() }
            }
        }
    }

    /// The last bytes may have left before the source said that they were the last.
    private func noteSent(_ hasSent: Bool, isAll: Bool) {
        guard case .active = state.stage, silence.requestSent == nil else { return }
        if hasSent || isAll && silence.isBegun { silence.sent(all: isAll, loop.now) }
    }

    /// Called for the source of this request's content: it has more.
    private var wakeUp: @Sendable () -> Void {
        let count = state.exchangeCount
        return { [weak self, loop] in
            guard let self else { return }
            loop.execute {
                guard self.state.exchangeCount == count, case .source = self.outgoing.waitReason else { return }
                self.outgoing.goOnWithSource()
                self.flush()
            }
        }
    }

    /// The content may have waited for this response.
    func permissionMayHaveCome(isFinal: Bool) {
        guard case .permission = outgoing.waitReason else { return }
        // A server that has responded does not need the rest of the content.
        if isFinal {
            outgoing.drop().finish()
            return
        }
        if !exchange.isAwaitingContinue { flush() }
    }

    /// The response comes first; the error counts only if there is none.
    private func sendingFailed(_ error: SystemCallError) {
        let consequence = state.outputFailed(error)
        if case .none = consequence {
            let dropped = outgoing.drop()
            updateInterest()
            dropped.finish()
        }
        follow(consequence, error)
    }

    func updateInterest() {
        if case .closed = state.stage { return }
        // Stop receiving from a peer that keeps requesting replies and does not read them.
        var interest: Interest = isPaused || transport.owesTooMuch ? [] : .readable
        if state.sendingError == nil, isBlocked { interest.insert(.writable) }
        do throws(SystemCallError) {
            try loop.setInterest(interest, for: token)
        } catch {
            end(.system(error))
        }
    }
}
