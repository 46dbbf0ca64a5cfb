// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import TernHTTP1

/// Where the content of one request comes from, piece by piece: pulled when the connection takes more, so that nothing
/// is read ahead of a slow server.
///
/// Asked on the reactor's thread, from beginning to end and never two at a time. Nothing in it may wait.
public protocol BodySource: AnyObject, Sendable {
    /// The next piece, of `count` bytes at most (what is more is taken as well, and held in memory).
    ///
    /// Without one ready answer `.later`, and call `wake` once when it makes sense to ask again: from any thread, also
    /// before this returns. A source that has nothing for long costs nothing; the request's idle limit goes on.
    func next(atMost count: Int, wake: @escaping @Sendable () -> Void) -> BodyPiece

    /// Nothing more is wanted: all was sent, or the request is over. Called once, and `next` not any more. If nothing
    /// was ever asked, it may be another thread's than the reactor's.
    func finish()
}

/// What a source answers.
public enum BodyPiece: Sendable {
    /// The next bytes; none are no piece, and asked again.
    case bytes(Data)
    /// Nothing at the moment.
    case later
    /// That was all. Trailers can only be sent where the length was not announced (RFC 9112 §7.1.2).
    case end(trailers: HeaderFields = [:])
    /// There will be no more, and the request cannot be completed.
    case failed(any Error)
}
