// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// Opens a raw stream's connection along a route, and secures it on request. One operation at a time.
final class StreamOpener: StreamAssistant {
    typealias Completion = (Result<Handover, StreamFailure>) -> Void

    /// The task whose stream it is.
    weak var respondent: (any DialRespondent)?
    private let shared: SharedSettings
    /// Where the stream leads, or the connection that it takes over.
    private let route: Route?
    private let limit: Duration
    private var dialler: Dialler?
    private var completion: Completion?

    /// - Parameter limit: the timeout for opening a connection, and for securing it.
    init(_ shared: SharedSettings, along route: Route?, within limit: Duration) {
        self.shared = shared
        self.route = route
        self.limit = limit
    }

    func open(_ completion: @escaping Completion) {
        guard let route else { return }
        self.completion = completion
        let dialler = Dialler(route, address: route.address, shared, owner: self, number: 0, letsServerBegin: true)
        self.dialler = dialler
        dialler.start(deadline: shared.loop.exactNow.advanced(by: limit))
    }

    func secure(_ handover: Handover, with server: HTTPOrigin, _ completion: @escaping Completion) {
        self.completion = completion
        let dialler = Dialler(
            securing: handover, with: server, along: route?.settings, shared, owner: self, number: 0)
        self.dialler = dialler
        dialler.start(deadline: shared.loop.exactNow.advanced(by: limit))
    }

    func cancel() {
        completion = nil
        dialler.take()?.cancel()
    }
}

extension StreamOpener: DialOwner {
    func dialler(_ dialler: Dialler, opened connection: Connection) {
        let handover = connection.handOver(dialler.early.bytes, hasEnded: dialler.early.hasEnded)
        self.dialler = nil
        if let completion = completion.take() {
            completion(.success(handover))
        } else {
            handover.discard(on: shared.loop)
        }
    }

    func dialler(_ dialler: Dialler, failed failure: DialFailure) {
        self.dialler = nil
        completion.take()?(
            .failure(
                StreamFailure(reason: failure.reason, phase: failure.phase, remoteAddress: failure.remoteAddress)))
    }

    func respondent(of dialler: Dialler) -> (any DialRespondent)? { respondent }

    /// No task waits for connections here, and none is returned.
    var isAwaited: Bool { false }

    func connectionFree(_ connection: Connection) { connection.close() }

    func connectionClosed(_ connection: Connection, wasResting: Bool) {}

    func answered(isOverloaded: Bool) {}
}
