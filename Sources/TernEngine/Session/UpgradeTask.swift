// SPDX-License-Identifier: Apache-2.0

/// A task whose server switches to another protocol (101, RFC 9110 §7.8), and which lasts as long as the connection: the
/// superclass of `URLSessionWebSocketTask`.
open class UpgradeTask: SessionTask, @unchecked Sendable {
    private enum Phase {
        /// Exits: open, failed.
        case handshake
        /// The connection is the protocol's. Exit: none.
        case open(StreamTask)
        /// The protocol does not take the server's 101. Exit: none.
        case failed(SessionError)
    }

    // On the reactor's thread.
    @safe @exclusivity(unchecked) private var phase = Phase.handshake

    /// - Parameters:
    ///   - request: the task's `originalRequest`.
    ///   - handshake: what is sent for it.
    ///   - delegate: nil for that of the session.
    package init(
        _ request: URLRequest, sending handshake: URLRequest, in session: Session,
        delegate: (any SessionTaskDelegate)? = nil
    ) {
        var handshake = handshake
        handshake.addConnectionUpgrade()
        let delegate = UpgradeTaskDelegate(before: delegate ?? session.delegate ?? NoOpTaskDelegate.shared)
        let defaults = session.taskDefaults
        super.init(request: request, delegate: delegate, defaults: defaults, at: session.taskPlace(for: handshake))
        driver = TaskDriver(handshake, delegate, defaults, after: RedirectChain())
    }

    /// Creates a task of no session, as ``SessionTask/init()`` does.
    public override init() {
        super.init()
        change(UpgradeTaskDelegate(before: NoOpTaskDelegate.shared))
    }

    /// The initialiser has returned: the observers of the session are told of the task, and its delegate if it is the task's.
    package final func announce(to session: Session? = nil) {
        created()
        if let session { session.delegate?.session(session, didCreate: self) }
    }

    /// The connection of the protocol is over. On the reactor's thread.
    package final func upgradeEnded(_ error: SessionError?) {
        end(error.map { self.error($0.reason, phase: $0.phase, remoteAddress: $0.remoteAddress) })
    }

    fileprivate func take(_ stream: StreamTask) {
        guard let response, let owner = self as? any UpgradeOwner else { return }
        do throws(SessionError) {
            phase = .open(stream)
            updatePause()
            try owner.take(stream, response)
        } catch {
            phase = .failed(self.error(error.reason, phase: .head))
            stream.cancel()
        }
    }

    /// The handshake is over. If the protocol has the connection, its end is that of the task.
    override func finalize(_ error: SessionError?) {
        switch phase {
        case .open: if let error { finish(error) }
        case .failed(let failure): finish(failure)
        case .handshake:
            if let status = response?.statusCode, status != 101, !isCancelled {
                return finish(self.error(.transfer(.upgradeRefused(status: status)), phase: .head))
            }
            finish(error ?? self.error(.cancelled, phase: .head))
        }
    }

    override func finalizeSooner(_ error: SessionError?) { finish(error) }

    private func finish(_ error: SessionError?) { complete(error.map(naming)) }

    /// The error as the session has its errors.
    package final func naming(_ error: SessionError) -> SessionError {
        defaults.followsURLSession ? error.failing(at: originalRequest.url) : error
    }

    override func cancelNow() {
        // The protocol ends, and with it the task.
        if case .open(let stream) = phase { stream.cancelNow() } else { super.cancelNow() }
    }

    override func updatePause() {
        if case .open(let stream) = phase { stream.stream?.isPaused = isSuspended } else { super.updatePause() }
    }
}

/// What the subclass of an ``UpgradeTask`` does with its connection. On the reactor's thread.
package protocol UpgradeOwner: UpgradeTask {
    /// The server has switched protocols. Throws if its response is not what the protocol needs.
    func take(_ stream: StreamTask, _ response: HTTPURLResponse) throws(SessionError)
    /// The task has ended: before its delegate is told.
    func ended(_ error: SessionError?)
}

extension URLRequest {
    /// Asks for another protocol (RFC 9110 §7.8).
    mutating func addConnectionUpgrade() {
        if value(forHTTPHeaderField: "Connection") == nil { setValue("Upgrade", forHTTPHeaderField: "Connection") }
    }
}

/// Stands before the delegate of an ``UpgradeTask``, which gets everything but the response.
private final class UpgradeTaskDelegate: UpgradeDelegate {
    private let delegate: any SessionTaskDelegate

    init(before delegate: any SessionTaskDelegate) { self.delegate = delegate }

    var answersServerTrustChallenges: Bool { delegate.answersServerTrustChallenges }

    func handle(_ event: TaskEvent, of task: SessionTask) {
        switch event {
        case .response(let response, let question):
            // Whatever the response is, it is not wanted.
            if response.statusCode != 101 { task.abandonBody() }
            question.answer(.allow)
        case .completed(let error):
            (task as? any UpgradeOwner)?.ended(error)
            delegate.handle(event, of: task)
        default: delegate.handle(event, of: task)
        }
    }

    func task(_ task: SessionTask, didBecome stream: StreamTask) { (task as? UpgradeTask)?.take(stream) }
}
