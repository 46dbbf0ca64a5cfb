// SPDX-License-Identifier: Apache-2.0

/// Where a response's content ends.
enum BodyFraming: Hashable {
    /// There is none.
    case none
    /// There is none, and what follows is another protocol.
    case handover
    case exactly(Int)
    case chunked
    case untilClose

    /// RFC 9112 §6.3, step by step.
    init(status: Int, to request: RequestTraits, _ head: FramingHeaders) {
        if status == 101 || request.isConnect && status / 100 == 2 {
            // 2. A 2xx to CONNECT turns the connection into a tunnel, 204 included; 101 turns it into another protocol
            //    (RFC 9110 §9.3.6, §15.2.2). Before step 1, for neither has content and what follows is no HTTP.
            self = .handover
        } else if request.isHead || status / 100 == 1 || status == 204 || status == 304 {
            // 1. No content follows, whatever the fields say, in answers to HEAD, in 1xx, 204 and 304.
            self = .none
        } else if head.isChunked {
            // 3. and 4. chunked, which `FramingHeaders` has found to be the only coding, and without Content-Length.
            self = .chunked
        } else if let length = head.contentLength {
            // 5. and 6. A valid Content-Length; invalid ones were refused there, too.
            self = .exactly(length)
        } else {
            // 7. is about requests. 8. A response of undeclared length ends with the connection.
            self = .untilClose
        }
    }
}
