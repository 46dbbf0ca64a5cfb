// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// What most tasks never need: made when it is. Belongs to the reactor's thread.
final class Aside {
    /// The heads of redirects, in the order they came: the last ones, as many as a task remembers.
    private(set) var history: [HTTPURLResponse] = []
    /// The head of a response nobody has decided on yet.
    var undecided: HTTPURLResponse?
    /// What came behind the body of a response nobody has decided on yet.
    var undecidedTrailers: (trailers: HTTPFields, discarded: HTTPFields)?
    /// How the response that is the answer is decoded.
    var path = BodyPath()
    /// Why it cannot be, told when content comes.
    var decodingError: ContentDecodingError?

    /// Adds a redirect.
    func remember(_ response: HTTPURLResponse) {
        if history.count < RedirectPolicy.rememberedHops { return history.append(response) }
        history.removeFirst()
        // A history of its own would hold those that are forgotten here.
        history.append(HTTPURLResponse(url: response.url, head: response.head))
    }

    /// Whether it is, or would have to be.
    var isDecoding: Bool { !path.isIdentity || decodingError != nil }
}
