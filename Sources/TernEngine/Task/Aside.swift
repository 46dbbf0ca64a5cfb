// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// What most tasks never need: made when it is. Belongs to the reactor's thread.
final class Aside {
    /// The heads of redirects, in the order they came.
    var history: [HTTPURLResponse] = []
    /// The head of a response nobody has decided on yet.
    var undecided: HTTPURLResponse?
    /// What came behind the body of a response nobody has decided on yet.
    var undecidedTrailers: (trailers: HTTPFields, discarded: HTTPFields)?
    /// How the response that is the answer is decoded.
    var path = BodyPath()
    /// Why it cannot be, told when content comes.
    var decodingError: ContentDecodingError?

    /// Whether it is, or would have to be.
    var isDecoding: Bool { !path.isIdentity || decodingError != nil }
}
