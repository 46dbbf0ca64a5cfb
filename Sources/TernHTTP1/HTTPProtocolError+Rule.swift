// SPDX-License-Identifier: Apache-2.0

/// Each reason as the rule it breaks and the place that rule is written.
extension HTTPProtocolError.Reason {
    /// The rule, as a sentence without its full stop.
    public var rule: String { text.rule }

    /// Where the rule comes from, for example `RFC 9112 §5.1`.
    public var source: String { text.source }

    private var text: (rule: String, source: String) {
        switch self {
        case .statusLine(let reason): reason.text
        case .field(let reason): reason.text
        case .framing(let reason): reason.text
        case .chunk(let reason): reason.text
        case .limit(let reason): reason.text
        case .truncated(let reason): reason.text
        case .unsolicited(let reason): reason.text
        case .request(let reason): reason.text
        case .misuse(let reason): reason.text
        }
    }
}

extension HTTPProtocolError.StatusLine {
    fileprivate var text: (rule: String, source: String) {
        switch self {
        case .notHTTP: ("a response begins with \"HTTP/\"", "RFC 9112 §2.3")
        case .version: ("a version is digit, dot, digit, and a space follows", "RFC 9112 §2.3")
        case .unsupportedVersion: ("only major version 1 is understood", "RFC 9110 §2.5")
        case .status: ("a status is three digits and a space", "RFC 9112 §4")
        case .reasonPhrase: ("no reason phrase contains NUL", "RFC 9112 §4")
        case .bareCarriageReturn: ("no CR stands without LF", "RFC 9112 §2.2")
        case .bareLineFeed: ("a status line ends with CRLF", "RFC 9112 §2.1")
        }
    }
}

extension HTTPProtocolError.Field {
    fileprivate var text: (rule: String, source: String) {
        switch self {
        case .emptyName: ("a field has a name", "RFC 9110 §5.1")
        case .name: ("a field name is a token", "RFC 9110 §5.1")
        case .spaceBeforeColon: ("no space precedes the colon", "RFC 9112 §5.1")
        case .missingColon: ("a field line has a colon", "RFC 9112 §5")
        case .value: ("no field value contains NUL", "RFC 9110 §5.5")
        case .bareCarriageReturn: ("no CR stands without LF", "RFC 9112 §2.2")
        case .bareLineFeed: ("a field line ends with CRLF", "RFC 9112 §2.1")
        case .leadingWhitespace: ("no space precedes the first field line", "RFC 9112 §2.2")
        }
    }
}

extension HTTPProtocolError.Framing {
    fileprivate var text: (rule: String, source: String) {
        switch self {
        case .lengthAndTransferEncoding:
            ("Content-Length and Transfer-Encoding exclude each other", "RFC 9112 §6.2")
        case .length: ("Content-Length is a decimal number", "RFC 9112 §6.3")
        case .lengthOverflow: ("Content-Length fits in 63 bits", "RFC 9110 §8.6")
        case .differingLengths: ("all Content-Lengths agree", "RFC 9112 §6.3")
        case .transferCoding: ("the one transfer coding is chunked", "RFC 9112 §6.1")
        case .transferEncodingInHTTP10: ("HTTP/1.0 has no Transfer-Encoding", "RFC 9112 §6.1")
        case .folded: ("a framing field is one line", "RFC 9112 §5.2")
        }
    }
}

extension HTTPProtocolError.Chunk {
    fileprivate var text: (rule: String, source: String) {
        switch self {
        case .size: ("a chunk size is a hexadecimal number", "RFC 9112 §7.1")
        case .sizeOverflow: ("a chunk size fits in 63 bits", "RFC 9112 §7.1")
        case .chunkExtension: ("only extensions follow a chunk size", "RFC 9112 §7.1.1")
        case .bareCarriageReturn: ("no CR stands without LF", "RFC 9112 §2.2")
        case .bareLineFeed: ("a chunk-size line ends with CRLF", "RFC 9112 §7.1")
        case .dataEnd: ("CRLF follows chunk data", "RFC 9112 §7.1")
        }
    }
}

extension HTTPProtocolError.Limit {
    fileprivate var text: (rule: String, source: String) {
        switch self {
        case .statusLineSize: ("a status line is shorter", "ParsingLimits.maximumStatusLineSize")
        case .fieldCount: ("a header section has fewer fields", "ParsingLimits.maximumFieldCount")
        case .fieldLineSize: ("a field line is shorter", "ParsingLimits.maximumFieldLineSize")
        case .fieldSectionSize: ("a header section is shorter", "ParsingLimits.maximumFieldSectionSize")
        case .chunkLineSize: ("a chunk-size line is shorter", "ParsingLimits.maximumChunkLineSize")
        case .chunkOverhead: ("chunk framing is in proportion to content", "ParsingLimits.maximumChunkOverheadRatio")
        case .trailerCount: ("a trailer section has fewer fields", "ParsingLimits.maximumTrailerCount")
        case .trailerSectionSize: ("a trailer section is shorter", "ParsingLimits.maximumTrailerSectionSize")
        case .informationalResponseCount:
            ("fewer informational responses precede the final one", "ParsingLimits.maximumInformationalResponseCount")
        }
    }
}

extension HTTPProtocolError.Truncation {
    fileprivate var text: (rule: String, source: String) {
        switch self {
        case .beforeResponse: ("the peer closed before its response", "RFC 9112 §8")
        case .head: ("the peer closed within its response head", "RFC 9112 §8")
        case .content(let missing): ("the peer closed \(missing) bytes before the end of content", "RFC 9112 §8")
        case .chunkedContent: ("the peer closed before the last chunk", "RFC 9112 §8")
        case .trailers: ("the peer closed within its trailers", "RFC 9112 §8")
        }
    }
}

extension HTTPProtocolError.Unsolicited {
    fileprivate var text: (rule: String, source: String) {
        switch self {
        case .bytes: ("a server sends bytes only in answer to a request", "RFC 9112 §9.2")
        case .upgrade: ("101 answers a request with Upgrade", "RFC 9110 §15.2.2")
        }
    }
}

extension HTTPProtocolError.Request {
    fileprivate var text: (rule: String, source: String) {
        switch self {
        case .method: ("a method is a token", "RFC 9110 §9.1")
        case .target: ("a request target is visible ASCII of its form", "RFC 9112 §3.2")
        case .targetForm: ("CONNECT names an authority, and only OPTIONS an asterisk", "RFC 9112 §3.2")
        case .host: ("there is one Host, and it is a host", "RFC 9110 §7.2")
        case .fieldName: ("a field name is a token", "RFC 9110 §5.1")
        case .fieldValue: ("no field value contains control characters", "RFC 9110 §5.5")
        case .forbiddenTrailer: ("this field is not allowed as a trailer", "RFC 9110 §6.5.1")
        case .trailersWithoutChunked: ("only chunked content has trailers", "RFC 9112 §7.1.2")
        case .framingField: ("framing fields agree with the body", "RFC 9112 §6.2")
        case .negativeLength: ("a content length is not negative", "RFC 9110 §8.6")
        case .contentForbidden: ("CONNECT and TRACE have no content", "RFC 9110 §9.3.6")
        case .expectationWithoutContent: ("only content can wait for 100 (Continue)", "RFC 9110 §10.1.1")
        case .tooMuchContent(let excess): ("content is \(excess) bytes longer than announced", "RFC 9110 §8.6")
        case .tooLittleContent(let missing): ("content is \(missing) bytes shorter than announced", "RFC 9110 §8.6")
        }
    }
}

extension HTTPProtocolError.Misuse {
    fileprivate var text: (rule: String, source: String) {
        switch self {
        case .notReusable: ("an exchange begins only after the last one completed", "RFC 9112 §9.3")
        case .nothingToSend: ("content follows a request head that announced it", "RFC 9112 §6")
        case .failed: ("a failed exchange decodes nothing more", "RFC 9112 §9.5")
        }
    }
}
