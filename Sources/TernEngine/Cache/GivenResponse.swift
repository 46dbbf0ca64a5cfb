// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1

/// A response as a program has stored it, without what a cache adds for its own rules.
struct GivenResponse: Sendable {
    /// From the folder of a cache it has no URL.
    let response: HTTPURLResponse
    /// Whether it must not be stored in a folder.
    let isInMemoryOnly: Bool

    init(url: URL?, head: ResponseHead, isDecoded: Bool, isInMemoryOnly: Bool = false) {
        var response = HTTPURLResponse(url: url, head: head)
        response.isContentDecoded = isDecoded
        (self.response, self.isInMemoryOnly) = (response, isInMemoryOnly)
    }

    /// The head that goes with content of this length: without the framing that it came with, and the coding that it was
    /// decoded from. Nil if no server could send it.
    func head(ofContent length: Int64) -> ResponseHead? {
        var lines = HeadLines(response.head)
        lines.remove(response.isContentDecoded ? ["transfer-encoding", "content-encoding"] : ["transfer-encoding"])
        lines.changeContent(length: length, isPart: false)
        return lines.head
    }
}
