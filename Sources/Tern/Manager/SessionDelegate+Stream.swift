// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine
import TernLock

// Streams of bytes.
extension SessionDelegate {
    /// Called when no more can be read from a stream.
    @preconcurrency public var streamTaskReadClosed: (@Sendable (Session, StreamTask) -> Void)? {
        get { self[\.streamReadClosed] }
        set { self[\.streamReadClosed] = newValue }
    }

    /// Called when no more can be written to a stream.
    @preconcurrency public var streamTaskWriteClosed: (@Sendable (Session, StreamTask) -> Void)? {
        get { self[\.streamWriteClosed] }
        set { self[\.streamWriteClosed] = newValue }
    }

    /// Never called: the engine does not watch for better routes.
    @preconcurrency public var streamTaskBetterRouteDiscovered: (@Sendable (Session, StreamTask) -> Void)? {
        get { self[\.streamBetterRoute] }
        set { self[\.streamBetterRoute] = newValue }
    }

    /// Never called: a stream task is read and written through its own methods.
    @preconcurrency public var streamTaskDidBecomeInputAndOutputStreams:
        (@Sendable (Session, StreamTask, InputStream, OutputStream) -> Void)?
    {
        get { self[\.streamStreams] }
        set { self[\.streamStreams] = newValue }
    }
}

// Called by the engine for stream tasks that were created on the session itself.
extension SessionDelegate: StreamTaskDelegate {
    /// Calls the closure.
    public func streamTaskDidCloseRead(_ task: StreamTask) { relay(.readClosed, of: task) }

    /// Calls the closure.
    public func streamTaskDidCloseWrite(_ task: StreamTask) { relay(.writeClosed, of: task) }

    private func relay(_ event: StreamEvent, of task: StreamTask) {
        let (callbacks, session) = attachment.withLock { ($0.callbacks, $0.session) }
        guard isOverridden, let callbacks, let session else { return }
        callbacks.post(CallbackBlock { [self] in deliver(event, of: task, in: session) })
    }
}
