// SPDX-License-Identifier: Apache-2.0

/// Which fields are no trailers (RFC 9110 §6.5.1): those that frame or route a message, steer how it is handled,
/// authenticate, or say how its content is to be read. They must be known before the content; behind it they could
/// only be there to fool somebody who merges them into the header.
enum TrailerRules {
    private static let forbidden: [String] = [
        "Transfer-Encoding", "Content-Length", "Trailer", "Connection", "Keep-Alive", "Proxy-Connection", "Upgrade",
        "Host", "TE", "Max-Forwards", "Expect", "Range", "Cache-Control", "Pragma", "Location", "Vary",
        "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range",
        "Authorization", "Proxy-Authorization", "WWW-Authenticate", "Proxy-Authenticate", "Cookie", "Set-Cookie",
        "Content-Encoding", "Content-Type", "Content-Range",
    ]

    static func forbids(_ bytes: Span<UInt8>, _ name: Range<Int>) -> Bool {
        let name = bytes.extracting(name)
        return forbidden.contains { name.isEqualIgnoringCase(to: $0.utf8.span) }
    }

    static func forbids(_ name: String) -> Bool {
        forbidden.contains { $0.isFieldName(name) }
    }
}
