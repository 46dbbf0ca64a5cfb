// SPDX-License-Identifier: Apache-2.0
import TernIO
import TernTLS

/// Drives a transport's handshake over its socket. Ends with one call of `completion`, or without one if cancelled.
///
/// The last flight is still unsent then, so that it can leave together with the first request.
final class TLSHandshake: ReadinessHandler {
    typealias Completion = (Result<Transport, SessionError.Reason>) -> Void

    /// The number of bytes received at once: more than most servers send in a flight, and few enough that their
    /// records, possibly of one byte each, do not delay other connections.
    private static let receiveSize = 8 * 1024

    private var transport: Transport?
    /// The evaluation of the server, once there is one.
    private(set) var trust: ServerTrustResult?
    private let token: RegistrationToken
    private let shared: SharedSettings
    private let fetcher: RevocationFetcher
    private let sideRoute: RouteSettings?
    private let loop: ReactorLoop
    /// Nil while there has been no question.
    private var revocation: RevocationInquiry?
    /// Nil if no delegate is asked.
    private let inquiry: TrustInquiry?
    /// Why no delegate has answered.
    private var unanswered: SessionError.Reason?
    private var evaluation: EvaluationQueue.Ticket?
    /// The client's key is being asked for a signature.
    private var signature: PendingSignature?
    private var completion: Completion?
    private var isAdvancing = false
    /// The readiness of the socket, until it is handled.
    private var waiting: Readiness = []
    /// The server may send first.
    var letsServerBegin = false
    /// What it has sent, and whether that was all.
    private(set) var early: [UInt8] = []
    private(set) var hasEnded = false
    /// Ciphertext received after the handshake, while answers are awaited; nil while none are.
    private var held: [UInt8]?

    /// Takes over the registration `token`, which passes to the new owner of the transport.
    ///
    /// - Parameters:
    ///   - fetcher: asks questions about revocation and missing issuers.
    ///   - sideRoute: the settings of questions about revocation and missing issuers; nil for the session's.
    ///   - inquiry: asks delegates about the server; nil if the transport's session asks none.
    init(
        transport: Transport, token: RegistrationToken, _ shared: SharedSettings, _ fetcher: RevocationFetcher,
        sideRoute: RouteSettings? = nil, inquiry: TrustInquiry? = nil, completion: @escaping Completion
    ) {
        self.transport = transport
        self.token = token
        self.shared = shared
        (self.fetcher, self.sideRoute) = (fetcher, sideRoute)
        loop = shared.loop
        self.inquiry = inquiry
        self.completion = completion
    }

    func start() {
        advance { () throws(SessionError.Reason) in
            try self.wrap { () throws(SystemCallError) in
                try self.loop.transfer(self.token, to: self, interest: .readable)
            }
            return try unsafe self.takeIn(UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    func cancel() {
        completion = nil
        held = nil
        revocation?.cancel()
        inquiry?.cancel()
        if let evaluation = evaluation.take() { EvaluationQueue.shared.withdraw(evaluation) }
        signature.take()?.cancel()
        loop.deregister(token)
        // A delegate may cancel within a call of OpenSSL or of the transport, which must outlive that call.
        if !isAdvancing { transport = nil }
    }

    /// The server has closed or reset the connection, or sends nothing any more.
    func peerLost() {
        // The only use of the session's error is to decide whether its server is offered a session again.
        try? transport?.endOfCiphertext()
    }

    /// Keys and signatures are the most expensive work of a reactor: the steps of many handshakes are spread over its
    /// ticks.
    func ready(_ readiness: Readiness) {
        if readiness == .visit { return advance() }
        if waiting.isEmpty { loop.visitLater(token) }
        waiting.formUnion(readiness)
    }

    private func advance() {
        let readiness = waiting
        waiting = []
        // While the handshake waits for an answer, the peer waits as well.
        if held != nil { return }
        advance { () throws(SessionError.Reason) in
            if readiness.contains(.writable) { try self.flush() }
            return readiness.contains(.readable) ? try self.receive() : false
        }
    }
}

// Step by step
extension TLSHandshake {
    private func advance(_ step: () throws(SessionError.Reason) -> Bool) {
        isAdvancing = true
        let outcome = Result { () throws(SessionError.Reason) in try step() }
        isAdvancing = false
        guard let completion else { return transport = nil }
        switch outcome {
        case .success(false): return
        case .success(true): succeed(completion)
        case .failure(let reason):
            // The alert that tells the server the reason is being sent.
            transport?.sayGoodbye()
            cancel()
            completion(.failure(reason))
        }
    }

    private func succeed(_ completion: Completion) {
        guard let transport = transport.take() else { return }
        self.completion = nil
        completion(.success(transport))
    }

    private func receive() throws(SessionError.Reason) -> Bool {
        let buffer = unsafe UnsafeMutableRawBufferPointer(rebasing: loop.receiveBuffer[..<Self.receiveSize])
        let received: IOResult
        do throws(SystemCallError) {
            received = try unsafe transport?.receive(into: buffer) ?? .wouldBlock
        } catch {
            peerLost()
            throw .transfer(.connectionLost(error))
        }
        switch received {
        case .wouldBlock: return false
        case .endOfStream:
            peerLost()
            throw .transfer(.connectionLost(nil))
        case .bytes(let count):
            return try unsafe takeIn(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Whether the handshake is complete with this ciphertext.
    private func takeIn(_ ciphertext: UnsafeRawBufferPointer) throws(SessionError.Reason) -> Bool {
        var offset = 0
        let progress: HandshakeProgress
        do throws(TLSError) {
            progress = try unsafe transport?.shakeHands(ciphertext, from: &offset) ?? .complete
        } catch {
            trust = transport?.trust
            throw unanswered ?? .connecting(.insecure(error))
        }
        // A delegate that OpenSSL has called has cancelled: send nothing to the server.
        if completion == nil { return false }
        switch progress {
        case .needMoreBytes:
            try flush()
            return false
        case .needEvaluation(let pending):
            try unsafe keep(ciphertext, from: offset)
            evaluate(pending)
            return false
        case .needRevocation(let questions):
            try unsafe keep(ciphertext, from: offset)
            let inquiry = revocation ?? RevocationInquiry(shared, fetcher, sideRoute)
            revocation = inquiry
            inquiry.ask(questions) { [weak self] answers in self?.answered(answers) }
            return false
        case .needDisposition(let verdict):
            trust = verdict.result
            try unsafe keep(ciphertext, from: offset)
            inquiry?.ask(verdict) { [weak self] in self?.decided($0) }
            return false
        case .needSignature(let pending):
            try unsafe keep(ciphertext, from: offset)
            sign(pending)
            return false
        case .complete:
            trust = transport?.trust
            try unsafe openRest(of: ciphertext, from: &offset)
            return true
        }
    }

    /// Nothing is sent meanwhile, especially no client certificate, and the peer must wait.
    private func keep(_ ciphertext: UnsafeRawBufferPointer, from offset: Int) throws(SessionError.Reason) {
        try setInterest([])
        held = unsafe Array(ciphertext[offset...])
    }

    /// Evaluating this server takes long, and other connections must be served meanwhile.
    private func evaluate(_ pending: PendingEvaluation) {
        // Accessed only on the loop's thread.
        let handshake = HandshakeReference(self)
        evaluation = EvaluationQueue.shared.run(pending) { [loop] completed in
            loop.execute { handshake.value?.evaluated(completed) }
        }
    }

    private func evaluated(_ completed: CompletedEvaluation) {
        evaluation = nil
        resume { self.transport?.take(completed) }
    }

    /// Those that wait for keys of clients, and for nothing else: a token may hang for as long as it likes.
    private static let signingThreads = WorkThreads(maximum: 16, reserve: .shared)

    private func sign(_ pending: PendingSignature) {
        signature = pending
        // Accessed only on the loop's thread.
        let handshake = HandshakeReference(self)
        Self.signingThreads.run { [loop] in
            let completed = pending.run()
            loop.execute { handshake.value?.signed(completed) }
        }
    }

    private func signed(_ completed: CompletedSignature) {
        signature = nil
        resume { self.transport?.take(completed) }
    }

    private func decided(_ outcome: TrustInquiry.Outcome) {
        resume {
            switch outcome {
            case .answered(let disposition): self.transport?.answer(disposition)
            case .unanswered(let reason):
                self.unanswered = reason
                self.transport?.answer(.refuse)
            }
        }
    }

    private func answered(_ answers: [RevocationQuestion: RevocationAnswer]) {
        resume {
            self.transport?.answer(answers)
            self.revocation?.distrust(self.transport?.openQuestions ?? [])
        }
    }

    /// Processes the held bytes, once `change` has had an effect; nothing if the handshake is over.
    private func resume(after change: () -> Void) {
        advance { () throws(SessionError.Reason) in
            guard let rest = self.held.take() else { return false }
            change()
            let result = unsafe rest.withUnsafeBytes { bytes in
                Result { () throws(SessionError.Reason) in try unsafe self.takeIn(bytes) }
            }
            return try result.get()
        }
    }

    /// Bytes right after the handshake: session tickets are expected, a response before any request is not.
    private func openRest(
        of ciphertext: UnsafeRawBufferPointer, from offset: inout Int
    ) throws(SessionError.Reason) {
        while true {
            let opened: Received
            do throws(TLSError) {
                opened = try unsafe transport?.open(ciphertext, from: &offset, into: loop.scratchBuffer) ?? .nothing
            } catch {
                throw .connecting(.insecure(error))
            }
            switch opened {
            case .message: continue
            case .nothing: return
            case .bytes(let count) where letsServerBegin: unsafe early.append(contentsOf: loop.scratchBuffer[..<count])
            case .endOfStream(isOrderly: true) where letsServerBegin:
                hasEnded = true
                return
            case .bytes: throw .transfer(.malformedResponse(.unexpectedBytes))
            case .endOfStream: throw .transfer(.connectionLost(nil))
            }
        }
    }

    private func flush() throws(SessionError.Reason) {
        do throws(TransportError) {
            try transport?.flush()
        } catch {
            peerLost()
            throw error.reason
        }
        try setInterest(transport?.hasUnsent == true ? [.readable, .writable] : .readable)
    }

    private func setInterest(_ interest: Interest) throws(SessionError.Reason) {
        try wrap { () throws(SystemCallError) in try loop.setInterest(interest, for: token) }
    }

    private func wrap(_ body: () throws(SystemCallError) -> Void) throws(SessionError.Reason) {
        do throws(SystemCallError) { try body() } catch { throw .system(error) }
    }
}

/// A weak reference to a handshake.
///
/// Safety: created and used on the handshake's loop only; other threads merely pass it on.
private final class HandshakeReference: @unchecked Sendable {
    private(set) weak var value: TLSHandshake?

    init(_ value: TLSHandshake) { self.value = value }
}

/// One handshake's questions about revocation and missing issuers: answered on other threads, delivered on its loop's
/// thread, and bounded in time as a whole, so that an unresponsive responder leaves time to connect.
///
/// Used only on the loop's thread, hence `@unchecked Sendable`: answers come through its mailbox.
final class RevocationInquiry: ReadinessHandler, @unchecked Sendable {
    typealias Answers = [RevocationQuestion: RevocationAnswer]

    private let shared: SharedSettings
    private let fetcher: RevocationFetcher
    private let sideRoute: RouteSettings?
    private var deadline: MonotonicInstant?
    private var timer: RegistrationToken?
    private var waiting: Set<RevocationQuestion> = []
    private var answers = Answers()
    private var completion: ((Answers) -> Void)?

    init(_ shared: SharedSettings, _ fetcher: RevocationFetcher, _ sideRoute: RouteSettings?) {
        (self.shared, self.fetcher, self.sideRoute) = (shared, fetcher, sideRoute)
    }

    /// Calls `completion` later, with the answers so far, when all have arrived or the timeout has passed; unless it is
    /// cancelled first.
    func ask(_ questions: [RevocationQuestion], completion: @escaping (Answers) -> Void) {
        let limit = min(RevocationFetcher.timeLimit, shared.configuration.timeouts.connect / 2)
        let deadline = deadline ?? shared.loop.exactNow.advanced(by: limit)
        self.deadline = deadline
        self.completion = completion
        waiting = Set(questions)
        answers = [:]
        let timer = shared.loop.registerTimer(handler: self)
        shared.loop.setDeadline(deadline, for: timer)
        self.timer = timer
        for question in questions {
            fetcher.ask(question, along: sideRoute) { [weak self, loop = shared.loop] answer in
                guard let self else { return }
                loop.execute { self.take(answer, to: question) }
            }
        }
    }

    func cancel() {
        completion = nil
        if let timer = timer.take() { shared.loop.deregister(timer) }
    }

    func distrust(_ questions: [RevocationQuestion]) {
        if !questions.isEmpty { fetcher.distrust(questions, along: sideRoute) }
    }

    /// The deadline is the only event.
    func ready(_ readiness: Readiness) { finish() }

    private func take(_ answer: RevocationAnswer, to question: RevocationQuestion) {
        // An answer to an earlier question may arrive too late.
        guard waiting.remove(question) != nil else { return }
        answers[question] = answer
        if waiting.isEmpty { finish() }
    }

    private func finish() {
        let completion = completion
        cancel()
        completion?(answers)
    }
}
