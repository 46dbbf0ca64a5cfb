// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO
import TernTLS

/// Has a connection that stands travel under TLS, with a server that is judged by the session's policies. Bounded in
/// time as a whole.
///
/// Calls back once, unless it is cancelled. Lives on its loop's thread, which is what `@unchecked Sendable` rests on:
/// what is made ready elsewhere comes through its mailbox.
final class StreamSecurer: ReadinessHandler, @unchecked Sendable {
    private let server: Origin
    private let shared: SharedSettings
    private var completion: StreamOpener.Completion?
    /// Until hands are shaken over it.
    private var handover: Handover?
    private var handshake: TLSHandshake?
    private var timer: DialTimer?
    private let opener: () -> (any TrustRespondent)?
    private var examiner: Examiner?
    private var isReported = false

    /// - Parameter respondent: gives the task the connection is for.
    init(
        _ handover: Handover, _ server: Origin, _ shared: SharedSettings,
        respondent: @escaping () -> (any TrustRespondent)?, completion: @escaping StreamOpener.Completion
    ) {
        opener = respondent
        self.handover = handover
        self.server = server
        self.shared = shared
        self.completion = completion
    }

    func start(deadline: MonotonicInstant) {
        timer = DialTimer(self, on: shared.loop)
        timer?.set(deadline)
        if let context = shared.trust.readyContext { return shakeHands(.success(context)) }
        shared.trust.context { context in self.shared.perform { self.shakeHands(context) } }
    }

    func cancel() {
        completion = nil
        letGo()
    }

    /// The deadline is the only event.
    func ready(_ readiness: Readiness) {
        handshake?.peerLost()
        end(.failure(StreamFailure(reason: .timedOut(.connect), phase: .tls)))
    }

    private func letGo() {
        timer.take()?.cancel()
        handshake.take()?.cancel()
        handover.take()?.discard(on: shared.loop)
    }

    private func end(_ result: Result<Handover, StreamFailure>) {
        let completion = completion.take()
        letGo()
        completion?(result)
    }

    private func shakeHands(_ context: Result<TLSContext, TLSError>) {
        do throws(TLSError) {
            let examiner = try Examiner(of: server, context.get(), shared.trust)
            self.examiner = examiner
            let inquiry = TrustInquiry(about: server, shared, owner: self)
            let session = try examiner.newSession(asksUser: inquiry != nil)
            // Whoever was asked may have cancelled.
            guard let handover = handover.take() else { return }
            handover.transport.secure(by: session)
            let handshake = TLSHandshake(
                transport: handover.transport, token: handover.token, shared, inquiry: inquiry
            ) { self.shaken($0, handover, examiner) }
            handshake.letsServerBegin = true
            self.handshake = handshake
            handshake.start()
        } catch {
            end(.failure(StreamFailure(reason: .connecting(.insecure(error)), phase: .tls)))
        }
    }

    private func shaken(
        _ result: Result<Transport, EngineError.Reason>, _ handover: Handover, _ examiner: Examiner
    ) {
        let handshake = handshake.take()
        if let trust = handshake?.trust, !isReported { examiner.report(trust) }
        switch result {
        case .success(let transport):
            let secured = Handover(
                transport: transport, token: handover.token, metrics: ConnectionMetrics(handover.metrics, transport),
                early: handshake?.early ?? [], hasEnded: handshake?.hasEnded ?? false)
            if completion != nil, examiner.isCurrent { return end(.success(secured)) }
            secured.discard(on: shared.loop)
            // Judged by policies that count no more: there is no second handshake over one connection.
            end(.failure(StreamFailure(reason: .transfer(.connectionLost(nil)), phase: .tls)))
        case .failure(let reason): end(.failure(StreamFailure(reason: reason, phase: .tls)))
        }
    }
}

extension StreamSecurer: TrustInquiryOwner {
    var respondent: (any TrustRespondent)? { opener() }

    /// Pins are reported as if no delegate were asked.
    func inquiryBegan(_ verdict: ServerTrustResult) {
        timer?.pause()
        isReported = true
        examiner?.report(verdict)
    }

    func inquiryEnded() { timer?.resume() }
}

extension ConnectionMetrics {
    /// Of a connection that was secured later.
    fileprivate convenience init(_ plain: ConnectionMetrics, _ transport: Transport) {
        self.init(
            remoteAddress: plain.remoteAddress, localAddress: plain.localAddress, tls: transport.tlsInfo,
            trust: transport.trust, start: plain.start, resolved: plain.resolved,
            connected: plain.connected, secured: .now)
    }
}
