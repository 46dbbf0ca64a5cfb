// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import TernHTTP1

/// Supplies the content of one request chunk by chunk: it is pulled when the connection takes more, so that nothing is
/// read ahead of a slow server.
///
/// Called on the reactor's thread, in order and never concurrently. It must not block.
public protocol BodySource: AnyObject, Sendable {
    /// Returns the next chunk, at most `count` bytes (a longer one is accepted, and held in memory).
    ///
    /// Without one ready, return `.later`, and call `wake` once when more is available: from any thread, also before
    /// this returns. Waiting costs nothing, but the request's idle timeout continues.
    func next(atMost count: Int, wake: @escaping @Sendable () -> Void) -> BodyPiece

    /// Ends the source: all was sent, or the request is over. Called once, and `next` is not called again. If `next`
    /// was never called, this may run on another thread than the reactor's.
    func finish()
}

/// The answer of a source.
public enum BodyPiece: Sendable {
    /// The next bytes; if empty, the source is called again.
    case bytes(Data)
    /// Nothing at present.
    case later
    /// The end. Trailers can be sent only if the length was not announced (RFC 9112 §7.1.2).
    case end(trailers: HeaderFields = [:])
    /// The source has failed, and the request cannot be completed.
    case failed(any Error)
}
