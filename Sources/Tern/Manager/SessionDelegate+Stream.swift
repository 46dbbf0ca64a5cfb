// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine
import TernLock

// Streams of bytes.
extension SessionDelegate {
    /// The user's closures, as they were set.
    struct StreamClosures {
        var readClosed: (@Sendable (Session, StreamTask) -> Void)?
        var writeClosed: (@Sendable (Session, StreamTask) -> Void)?
        var betterRoute: (@Sendable (Session, StreamTask) -> Void)?
        var streams: (@Sendable (Session, StreamTask, InputStream, OutputStream) -> Void)?
    }

    /// Is told that nothing more can be read from a stream.
    @preconcurrency public var streamTaskReadClosed: (@Sendable (Session, StreamTask) -> Void)? {
        get { self[\.stream.readClosed] }
        set { self[\.stream.readClosed] = newValue }
    }

    /// Is told that nothing more can be written to a stream.
    @preconcurrency public var streamTaskWriteClosed: (@Sendable (Session, StreamTask) -> Void)? {
        get { self[\.stream.writeClosed] }
        set { self[\.stream.writeClosed] = newValue }
    }

    /// Never called: a server has the routes it has.
    @preconcurrency public var streamTaskBetterRouteDiscovered: (@Sendable (Session, StreamTask) -> Void)? {
        get { self[\.stream.betterRoute] }
        set { self[\.stream.betterRoute] = newValue }
    }

    /// Never called: a stream of bytes is read and written by its task.
    @preconcurrency public var streamTaskDidBecomeInputAndOutputStreams:
        (@Sendable (Session, StreamTask, InputStream, OutputStream) -> Void)?
    {
        get { self[\.stream.streams] }
        set { self[\.stream.streams] = newValue }
    }

    func deliver(_ event: StreamEvent, of task: StreamTask, in session: Session) {
        switch event {
        case .readClosed: urlSession(session, readClosedFor: task)
        case .writeClosed: urlSession(session, writeClosedFor: task)
        }
    }
}

// For the engine, which tells of stream tasks that were made on the session itself. Call none of these.
extension SessionDelegate: StreamTaskDelegate {
    /// Tells the closures.
    public func streamTaskDidCloseRead(_ task: StreamTask) { relay(.readClosed, of: task) }

    /// Tells the closures.
    public func streamTaskDidCloseWrite(_ task: StreamTask) { relay(.writeClosed, of: task) }

    private func relay(_ event: StreamEvent, of task: StreamTask) {
        let (callbacks, session) = attachment.withLock { ($0.callbacks, $0.session) }
        guard isOverridden, let callbacks, let session else { return }
        callbacks.post(Errand { [self] in deliver(event, of: task, in: session) })
    }
}
