// SPDX-License-Identifier: Apache-2.0
import TernIO
import TernTLS

/// Drives a transport's handshake over its socket. Ends by one call of `completion`, or by `cancel` and none.
final class TLSHandshake: ReadinessHandler {
    typealias Completion = (consuming Result<Transport, EngineError.Reason>) -> Void

    private var transport: Transport?
    /// The evaluation of the server, as soon as there is one.
    private(set) var trust: ServerTrustResult?
    private let token: RegistrationToken
    private let loop: ReactorLoop
    private var completion: Completion?

    /// Takes over the registration `token`, which passes on to whoever gets the transport.
    init(
        transport: consuming Transport, token: RegistrationToken, loop: ReactorLoop, completion: @escaping Completion
    ) {
        self.transport = consume transport
        self.token = token
        self.loop = loop
        self.completion = completion
    }

    func start() {
        advance { () throws(EngineError.Reason) in
            try self.wrap { () throws(SystemError) in
                try self.loop.transfer(self.token, to: self, interest: .readable)
            }
            var offset = 0
            return try unsafe self.shakeHands(UnsafeRawBufferPointer(start: nil, count: 0), from: &offset)
        }
    }

    func cancel() {
        completion = nil
        loop.deregister(token)
        transport = nil
    }

    func ready(_ readiness: Readiness) {
        advance { () throws(EngineError.Reason) in
            if readiness.contains(.writable) { try self.flush() }
            return readiness.contains(.readable) ? try self.receive() : false
        }
    }
}

// One step at a time
extension TLSHandshake {
    private func advance(_ step: () throws(EngineError.Reason) -> Bool) {
        do throws(EngineError.Reason) {
            if try step() { succeed() }
        } catch {
            // The alert that tells the server why is on its way out.
            transport?.sayGoodbye()
            let completion = completion
            cancel()
            completion?(.failure(error))
        }
    }

    private func succeed() {
        guard let transport = transport.take() else { return }
        let completion = completion.take()
        completion?(.success(transport))
    }

    private func receive() throws(EngineError.Reason) -> Bool {
        let buffer = unsafe loop.receiveBuffer
        let received: IOResult
        do throws(SystemError) {
            received = try unsafe transport?.socket.receive(into: buffer) ?? .wouldBlock
        } catch {
            throw .connectionLost(error)
        }
        switch received {
        case .wouldBlock: return false
        case .endOfStream: throw .connectionLost(nil)
        case .bytes(let count):
            let ciphertext = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<count])
            var offset = 0
            guard try unsafe shakeHands(ciphertext, from: &offset) else { return false }
            try unsafe takeIn(ciphertext, from: &offset)
            return true
        }
    }

    private func shakeHands(_ ciphertext: UnsafeRawBufferPointer, from offset: inout Int) throws(EngineError.Reason)
        -> Bool
    {
        let isComplete: Bool
        do throws(TLSError) {
            isComplete = try unsafe transport?.shakeHands(ciphertext, from: &offset) ?? true
        } catch {
            trust = transport?.trust
            throw .insecure(error)
        }
        if isComplete { trust = transport?.trust }
        try flush()
        return isComplete
    }

    /// What came right behind the handshake: session tickets are welcome, a response before any request is not.
    private func takeIn(_ ciphertext: UnsafeRawBufferPointer, from offset: inout Int) throws(EngineError.Reason) {
        let opened: OpenResult
        do throws(TLSError) {
            opened = try unsafe transport?.open(ciphertext, from: &offset, into: loop.scratchBuffer) ?? .needMoreBytes
        } catch {
            throw .insecure(error)
        }
        switch opened {
        case .needMoreBytes: return
        case .bytes, .endOfStream: throw .connectionLost(nil)
        }
    }

    private func flush() throws(EngineError.Reason) {
        do throws(TransportError) { try transport?.flush() } catch { throw error.reason }
        let interest: Interest = transport?.hasUnsent == true ? [.readable, .writable] : .readable
        try wrap { () throws(SystemError) in try loop.setInterest(interest, for: token) }
    }

    private func wrap(_ body: () throws(SystemError) -> Void) throws(EngineError.Reason) {
        do throws(SystemError) { try body() } catch { throw .system(error) }
    }
}
