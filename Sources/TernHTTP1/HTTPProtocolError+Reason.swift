// SPDX-License-Identifier: Apache-2.0

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
