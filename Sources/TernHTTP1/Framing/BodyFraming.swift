// SPDX-License-Identifier: Apache-2.0

/// How a response's content is delimited.
enum BodyFraming: Hashable {
    /// No content.
    case none
    /// No content; another protocol follows.
    case handover
    case exactly(Int)
    case chunked
    case untilClose

    /// RFC 9112 §6.3, step by step.
    init(status: Int, to request: RequestTraits, _ head: FramingHeaders) {
        if status == 101 || request.isConnect && status / 100 == 2 {
            // 2. A 2xx to CONNECT turns the connection into a tunnel, 204 included; 101 turns it into another protocol
            //    (RFC 9110 §9.3.6, §15.2.2). Checked before step 1, because neither has content and the bytes that
            //    follow are not HTTP.
            self = .handover
        } else if request.isHead || status / 100 == 1 || status == 204 || status == 304 {
            // 1. No content follows in answers to HEAD, in 1xx, 204 and 304, whatever the fields say.
            self = .none
        } else if head.isChunked {
            // 3. and 4. `chunked`, which `FramingHeaders` has found to be the only coding, and without Content-Length.
            self = .chunked
        } else if let length = head.contentLength {
            // 5. and 6. A valid Content-Length; `FramingHeaders` refuses invalid ones.
            self = .exactly(length)
        } else {
            // 7. applies to requests. 8. The connection's end delimits a response of undeclared length.
            self = .untilClose
        }
    }
}

/// The facts of a request that are needed to read its response.
struct RequestTraits {
    var isHead = false
    var isConnect = false
    /// The request had an `Upgrade` field, so 101 may answer it.
    var asksUpgrade = false
    /// The request had `Connection: close`.
    var asksClose = false
    /// The request had `Expect: 100-continue`.
    var expectsContinue = false

    /// Adds the traits of other fields of the same request.
    mutating func formUnion(_ other: RequestTraits) {
        asksUpgrade = asksUpgrade || other.asksUpgrade
        asksClose = asksClose || other.asksClose
        expectsContinue = expectsContinue || other.expectsContinue
    }
}
