// SPDX-License-Identifier: Apache-2.0

/// Why a message cannot be decoded, or may not be encoded.
///
/// After a decoding error the connection's framing is unknown: close it. After an encoding error, no byte of the
/// refused message or chunk has been written.
public struct HTTPProtocolError: Error, Sendable, Hashable {
    /// The rule that was broken.
    public let reason: Reason
    /// Decoding: the offending byte's position, counted from the first byte of the exchange's response, 1xx included.
    /// Encoding: its position in the offending string.
    public let offset: Int
    /// The offending text, printable: at most 32 bytes of the line, ending with the offending byte; other bytes as
    /// `\xHH`. Bytes of a field value are omitted because they may be secret, except those of a framing field.
    public let excerpt: String

    init(_ reason: Reason, offset: Int = 0, excerpt: String = "") {
        self.reason = reason
        self.offset = offset
        self.excerpt = excerpt
    }
}

extension HTTPProtocolError {
    /// Whether a server has sent bytes before it received a request.
    public static let unexpectedBytes = HTTPProtocolError(.unsolicited(.bytes))
}

extension HTTPProtocolError: CustomStringConvertible {
    /// What is wrong, for example: `a space precedes a field's colon (RFC 9112 §5.1), at byte 31: "Content-Length "`.
    public var description: String {
        if reason == .statusLine(.notHTTP), !excerpt.isEmpty {
            return "the response begins with \"\(excerpt)\", not with \"HTTP/\" (\(reason.source))"
        }
        var text = "\(reason.rule) (\(reason.source))"
        if offset > 0 { text += ", at byte \(offset)" }
        if !excerpt.isEmpty { text += ": \"\(excerpt)\"" }
        return text
    }
}

extension HTTPProtocolError {
    /// Returns an error about a string of the caller, at its first byte that is not visible ASCII.
    init(_ reason: Reason, in text: String) {
        let bytes = text.utf8.span
        var offset = 0
        while offset < bytes.count, bytes[offset].isVisible { offset &+= 1 }
        if offset == bytes.count { offset = 0 }
        let end = offset == 0 ? bytes.count : offset &+ 1
        self.init(reason, offset: offset, excerpt: Excerpt.of(bytes, 0..<min(end, bytes.count)))
    }
}

extension HTTPProtocolError {
    /// The rules that can be broken, by the part of the message they govern.
    public enum Reason: Sendable, Hashable {
        /// The peer's status line.
        case statusLine(StatusLine)
        /// A field line of the peer, in a header or trailer section.
        case field(Field)
        /// What the peer's fields say about where the content ends.
        case framing(Framing)
        /// The peer's chunked coding.
        case chunk(Chunk)
        /// The peer's message is larger than ``ParsingLimits`` allow.
        case limit(Limit)
        /// The peer closed before its message was complete.
        case truncated(Truncation)
        /// The peer sent something that was not asked for.
        case unsolicited(Unsolicited)
        /// The caller's message cannot be encoded.
        case request(Request)
        /// The caller used the exchange out of order.
        case misuse(Misuse)
    }

    /// What can be wrong with a status line (RFC 9112 §4).
    public enum StatusLine: Sendable, Hashable {
        /// The response does not begin with "HTTP/".
        case notHTTP
        /// The version is not one digit, a dot and one digit, followed by a space.
        case version
        /// The major version is not 1.
        case unsupportedVersion
        /// The status is not three digits, or not followed by a space or the line's end.
        case status
        /// NUL in the reason phrase.
        case reasonPhrase
        /// CR without LF.
        case bareCarriageReturn
        /// LF without CR.
        case bareLineFeed
    }

    /// What can be wrong with a field line (RFC 9112 §5).
    public enum Field: Sendable, Hashable {
        /// The line begins with its colon.
        case emptyName
        /// A byte in the name that no token may contain.
        case name
        /// Space or tab between name and colon.
        case spaceBeforeColon
        /// The line ends before a colon.
        case missingColon
        /// NUL in the value.
        case value
        /// CR without LF.
        case bareCarriageReturn
        /// LF without CR.
        case bareLineFeed
        /// The first line of the section begins with a space or tab.
        case leadingWhitespace
    }

    /// How a head can leave open where its content ends (RFC 9112 §6).
    public enum Framing: Sendable, Hashable {
        /// Both Content-Length and Transfer-Encoding.
        case lengthAndTransferEncoding
        /// A Content-Length that is not a decimal number.
        case length
        /// A Content-Length no 64-bit machine can count to.
        case lengthOverflow
        /// Two Content-Lengths that differ.
        case differingLengths
        /// A transfer coding other than one `chunked`.
        case transferCoding
        /// Transfer-Encoding in an HTTP/1.0 message.
        case transferEncodingInHTTP10
        /// Content-Length or Transfer-Encoding continued on a second line.
        case folded
    }

    /// What can be wrong with the chunked coding (RFC 9112 §7.1).
    public enum Chunk: Sendable, Hashable {
        /// The chunk size is not a hexadecimal number.
        case size
        /// A chunk size no 64-bit machine can count to.
        case sizeOverflow
        /// An invalid byte in a chunk extension, or something other than an extension after the size.
        case chunkExtension
        /// CR without LF in a chunk-size line.
        case bareCarriageReturn
        /// LF without CR in a chunk-size line.
        case bareLineFeed
        /// Chunk data is not followed by CRLF.
        case dataEnd
    }

    /// Which of the ``ParsingLimits`` a response went past.
    public enum Limit: Sendable, Hashable {
        /// ``ParsingLimits/maximumStatusLineSize``
        case statusLineSize
        /// ``ParsingLimits/maximumFieldCount``
        case fieldCount
        /// ``ParsingLimits/maximumFieldLineSize``
        case fieldLineSize
        /// ``ParsingLimits/maximumFieldSectionSize``
        case fieldSectionSize
        /// ``ParsingLimits/maximumChunkLineSize``
        case chunkLineSize
        /// More framing than ``ParsingLimits/maximumChunkOverheadRatio`` allows beyond
        /// ``ParsingLimits/chunkOverheadAllowance``.
        case chunkOverhead
        /// ``ParsingLimits/maximumTrailerCount``
        case trailerCount
        /// ``ParsingLimits/maximumTrailerSectionSize``
        case trailerSectionSize
        /// ``ParsingLimits/maximumInformationalResponseCount``
        case informationalResponseCount
    }

    /// Where in a response the connection ended.
    public enum Truncation: Sendable, Hashable {
        /// Not one byte of a response had arrived. On a reused connection this is the stale keep-alive race.
        case beforeResponse
        /// Within a status line or header section, or after an informational response.
        case head
        /// Within content of known length. The value is the number of missing bytes.
        case content(missing: Int)
        /// Within the chunked coding.
        case chunkedContent
        /// Within the trailer section.
        case trailers
    }

    /// What the peer can send without being asked.
    public enum Unsolicited: Sendable, Hashable {
        /// Bytes while no exchange is in progress, or after its end.
        case bytes
        /// 101 (Switching Protocols) for a request without `Upgrade`.
        case upgrade
    }

    /// Why a message of the caller (usually a request) or its next chunk is not written. The caller must correct it.
    public enum Request: Sendable, Hashable {
        /// The method is not a token.
        case method
        /// The target is empty, has a byte that is not visible ASCII, has a fragment, or does not fit its form.
        case target
        /// `CONNECT` without an authority, an authority without `CONNECT`, or an asterisk without `OPTIONS`.
        case targetForm
        /// The host is not valid in a URI, or there is more than one `Host`.
        case host
        /// The field name is not a token.
        case fieldName
        /// The field value has CR, LF, NUL or another control character.
        case fieldValue
        /// A field that must not be sent as a trailer.
        case forbiddenTrailer
        /// Trailers for a request that is not chunked.
        case trailersWithoutChunked
        /// A framing field that disagrees with the body.
        case framingField
        /// The body's length is negative.
        case negativeLength
        /// Content in a `CONNECT` or `TRACE` request.
        case contentForbidden
        /// `Expect: 100-continue` without content.
        case expectationWithoutContent
        /// More content than was announced, by this number of bytes.
        case tooMuchContent(excess: Int)
        /// Less content than was announced; this number of bytes is missing.
        case tooLittleContent(missing: Int)
    }

    /// How an ``Exchange`` can be called out of order.
    public enum Misuse: Sendable, Hashable {
        /// `begin` during an exchange, or on a connection that cannot carry another exchange.
        case notReusable
        /// Content without a request that has content left to send.
        case nothingToSend
        /// Anything after an error.
        case failed
    }
}

/// Each reason as what is wrong, and the place where the rule is written that this breaks.
extension HTTPProtocolError.Reason {
    /// How the rule is broken, as a sentence without its full stop: `a field line has no colon`.
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
        case .notHTTP: ("the response does not begin with \"HTTP/\"", "RFC 9112 §2.3")
        case .version: ("the version is not digit, dot, digit and a space", "RFC 9112 §2.3")
        case .unsupportedVersion: ("the major version is not 1", "RFC 9110 §2.5")
        case .status: ("the status is not three digits and a space", "RFC 9112 §4")
        case .reasonPhrase: ("the reason phrase contains NUL", "RFC 9112 §4")
        case .bareCarriageReturn: ("a CR in the status line has no LF behind it", "RFC 9112 §2.2")
        case .bareLineFeed: ("the status line ends with LF alone", "RFC 9112 §2.1")
        }
    }
}

extension HTTPProtocolError.Field {
    fileprivate var text: (rule: String, source: String) {
        switch self {
        case .emptyName: ("a field has no name", "RFC 9110 §5.1")
        case .name: ("a field name contains a byte that is not allowed", "RFC 9110 §5.1")
        case .spaceBeforeColon: ("a space precedes a field's colon", "RFC 9112 §5.1")
        case .missingColon: ("a field line has no colon", "RFC 9112 §5")
        case .value: ("a field value contains NUL", "RFC 9110 §5.5")
        case .bareCarriageReturn: ("a CR in a field line has no LF behind it", "RFC 9112 §2.2")
        case .bareLineFeed: ("a field line ends with LF alone", "RFC 9112 §2.1")
        case .leadingWhitespace: ("the first field line begins with a space", "RFC 9112 §2.2")
        }
    }
}

extension HTTPProtocolError.Framing {
    fileprivate var text: (rule: String, source: String) {
        switch self {
        case .lengthAndTransferEncoding:
            ("there is a Content-Length beside Transfer-Encoding", "RFC 9112 §6.2")
        case .length: ("the Content-Length is not a decimal number", "RFC 9112 §6.3")
        case .lengthOverflow: ("the Content-Length does not fit in 63 bits", "RFC 9110 §8.6")
        case .differingLengths: ("there are Content-Lengths that differ", "RFC 9112 §6.3")
        case .transferCoding: ("the Transfer-Encoding is not one chunked", "RFC 9112 §6.1")
        case .transferEncodingInHTTP10: ("an HTTP/1.0 message has Transfer-Encoding", "RFC 9112 §6.1")
        case .folded: ("a framing field is continued on a second line", "RFC 9112 §5.2")
        }
    }
}

extension HTTPProtocolError.Chunk {
    fileprivate var text: (rule: String, source: String) {
        switch self {
        case .size: ("a chunk size is not a hexadecimal number", "RFC 9112 §7.1")
        case .sizeOverflow: ("a chunk size does not fit in 63 bits", "RFC 9112 §7.1")
        case .chunkExtension: ("what follows a chunk size is no extension", "RFC 9112 §7.1.1")
        case .bareCarriageReturn: ("a CR in a chunk-size line has no LF behind it", "RFC 9112 §2.2")
        case .bareLineFeed: ("a chunk-size line ends with LF alone", "RFC 9112 §7.1")
        case .dataEnd: ("no CRLF follows chunk data", "RFC 9112 §7.1")
        }
    }
}

extension HTTPProtocolError.Limit {
    fileprivate var text: (rule: String, source: String) {
        switch self {
        case .statusLineSize: ("the status line is too long", "ParsingLimits.maximumStatusLineSize")
        case .fieldCount: ("the header section has too many fields", "ParsingLimits.maximumFieldCount")
        case .fieldLineSize: ("a field line is too long", "ParsingLimits.maximumFieldLineSize")
        case .fieldSectionSize: ("the header section is too long", "ParsingLimits.maximumFieldSectionSize")
        case .chunkLineSize: ("a chunk-size line is too long", "ParsingLimits.maximumChunkLineSize")
        case .chunkOverhead: ("the chunk framing is out of proportion", "ParsingLimits.maximumChunkOverheadRatio")
        case .trailerCount: ("the trailer section has too many fields", "ParsingLimits.maximumTrailerCount")
        case .trailerSectionSize: ("the trailer section is too long", "ParsingLimits.maximumTrailerSectionSize")
        case .informationalResponseCount:
            ("too many informational responses came first", "ParsingLimits.maximumInformationalResponseCount")
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
        case .bytes: ("the server sent bytes that answer no request", "RFC 9112 §9.2")
        case .upgrade: ("101 answers a request without Upgrade", "RFC 9110 §15.2.2")
        }
    }
}

extension HTTPProtocolError.Request {
    fileprivate var text: (rule: String, source: String) {
        switch self {
        case .method: ("the method is not a token", "RFC 9110 §9.1")
        case .target: ("the request target is not visible ASCII of its form", "RFC 9112 §3.2")
        case .targetForm: ("the form of the request target does not fit the method", "RFC 9112 §3.2")
        case .host: ("the Host is no host, or there are several", "RFC 9110 §7.2")
        case .fieldName: ("a field name is not a token", "RFC 9110 §5.1")
        case .fieldValue: ("a field value contains a control character", "RFC 9110 §5.5")
        case .forbiddenTrailer: ("the field is not allowed as a trailer", "RFC 9110 §6.5.1")
        case .trailersWithoutChunked: ("there are trailers, and the content is not chunked", "RFC 9112 §7.1.2")
        case .framingField: ("a framing field disagrees with the body", "RFC 9112 §6.2")
        case .negativeLength: ("the content length is negative", "RFC 9110 §8.6")
        case .contentForbidden: ("a CONNECT or TRACE request has content", "RFC 9110 §9.3.6")
        case .expectationWithoutContent: ("a request without content expects 100 (Continue)", "RFC 9110 §10.1.1")
        case .tooMuchContent(let excess): ("content is \(excess) bytes longer than announced", "RFC 9110 §8.6")
        case .tooLittleContent(let missing): ("content is \(missing) bytes shorter than announced", "RFC 9110 §8.6")
        }
    }
}

extension HTTPProtocolError.Misuse {
    fileprivate var text: (rule: String, source: String) {
        switch self {
        case .notReusable: ("the exchange before is not complete, or was the last one", "RFC 9112 §9.3")
        case .nothingToSend: ("no request head has announced this content", "RFC 9112 §6")
        case .failed: ("the exchange has failed before", "RFC 9112 §9.5")
        }
    }
}
