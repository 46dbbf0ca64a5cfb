// SPDX-License-Identifier: Apache-2.0

/// The fields that are not allowed as trailers (RFC 9110 §6.5.1): those that frame or route a message, control how it
/// is handled, authenticate, or say how its content is to be read. They matter only before the content; after it they
/// could mislead a recipient that merges them into the header section.
enum TrailerRules {
    private static let forbidden: [String] = [
        "Transfer-Encoding", "Content-Length", "Trailer", "Connection", "Keep-Alive", "Proxy-Connection", "Upgrade",
        "Host", "TE", "Max-Forwards", "Expect", "Range", "Cache-Control", "Pragma", "Location", "Vary",
        "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range",
        "Authorization", "Proxy-Authorization", "WWW-Authenticate", "Proxy-Authenticate", "Cookie", "Set-Cookie",
        "Content-Encoding", "Content-Type", "Content-Range",
    ]

    static func forbids(_ name: String) -> Bool {
        forbidden.contains { $0.isFieldName(name) }
    }

    /// Separates the fields that a sender should not have sent. They end nothing and mean nothing, so a recipient may
    /// ignore them (RFC 9112 §7.1.2) instead of failing a response whose framing is valid.
    static func sort(_ fields: HeaderFields) -> (trailers: HeaderFields, discarded: HeaderFields) {
        var (trailers, discarded) = (HeaderFields(), HeaderFields())
        for field in fields {
            if forbids(field.name) {
                discarded.append(field.name, field.value)
            } else {
                trailers.append(field.name, field.value)
            }
        }
        return (trailers, discarded)
    }
}
