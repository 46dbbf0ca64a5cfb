// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

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
