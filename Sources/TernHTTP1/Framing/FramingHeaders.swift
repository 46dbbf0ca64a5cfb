// SPDX-License-Identifier: Apache-2.0

/// What the fields of a response head say about the content's end and the connection's persistence.
struct FramingHeaders {
    private(set) var contentLength: Int?
    private(set) var isChunked = false
    /// `close` and `keep-alive` among the `Connection` options (RFC 9110 §7.6.1).
    private(set) var saysClose = false
    private(set) var saysKeepAlive = false
    private(set) var keepAlive: KeepAlive?

    /// Returns the error for a broken rule at a byte of the section, in the field at `position`.
    struct Refusal: Error {
        var reason: HTTPProtocolError.Framing
        var offset: Int
        var position: FieldPosition
    }

    // Not inlined: the caller has no registers to spare.
    /// - Parameter ignoringFraming: `true` for a 2xx to CONNECT, in which RFC 9112 §6.3 has Content-Length and
    ///   Transfer-Encoding ignored. In every other response they must be valid, even where they frame no content.
    @inline(never)
    mutating func read(
        _ bytes: Span<UInt8>, _ positions: Span<FieldPosition>, version: HTTPVersion, _ leniency: ParsingLeniency,
        ignoringFraming: Bool
    ) throws(Refusal) {
        var index = 0
        // Of one list each, however many fields it is spread over.
        var (options, promises) = (ListReader(.tokens), ListReader(.tokens))
        var (codings, lengths) = (ListReader(.tokens), ListReader(.lengths))
        while index < positions.count {
            let position = positions[index]
            index &+= 1
            guard FramingField.mayHave(length: position.nameLength) else { continue }
            switch FramingField(bytes, position.name) {
            case .contentLength:
                if !ignoringFraming { try readLength(bytes, position, &lengths) }
            case .transferEncoding:
                if !ignoringFraming { try readTransferEncoding(bytes, position, &codings, version, leniency) }
            case .connection: readConnection(bytes, position.value, &options)
            case .keepAlive:
                var announced = keepAlive ?? KeepAlive()
                announced.read(bytes, position.value, &promises)
                keepAlive = announced
            case nil: continue
            }
        }
    }

    /// `Content-Length`, repeats and lists included: RFC 9112 §6.3 lets a recipient either refuse a list or use its
    /// one value. Equal values cannot be read in two ways, and servers behind badly joined proxies send them.
    private mutating func readLength(
        _ bytes: Span<UInt8>, _ position: FieldPosition, _ list: inout ListReader
    ) throws(Refusal) {
        let value = position.value
        if isChunked { throw Refusal(reason: .lengthAndTransferEncoding, offset: value.lowerBound, position: position) }
        if contentLength == nil, case .value(let length) = Decimal.read(bytes, value) {
            contentLength = length
            return
        }
        list.begin(value)
        while let element = list.next(in: bytes) {
            switch Decimal.read(bytes, element) {
            case .malformed(let offset): throw Refusal(reason: .length, offset: offset, position: position)
            case .overflow(let offset): throw Refusal(reason: .lengthOverflow, offset: offset, position: position)
            case .value(let length):
                if let contentLength, contentLength != length {
                    throw Refusal(reason: .differingLengths, offset: element.lowerBound, position: position)
                }
                contentLength = length
            }
        }
        if list.isTooLong { throw Refusal(reason: .length, offset: value.lowerBound, position: position) }
    }

    /// `Transfer-Encoding`: exactly one coding over all lines, `chunked` without parameters. The client requests no
    /// other with `TE` and cannot decode one, and a coding that is not understood hides where the content ends.
    private mutating func readTransferEncoding(
        _ bytes: Span<UInt8>, _ position: FieldPosition, _ list: inout ListReader, _ version: HTTPVersion,
        _ leniency: ParsingLeniency
    ) throws(Refusal) {
        let value = position.value
        if contentLength != nil {
            throw Refusal(reason: .lengthAndTransferEncoding, offset: value.lowerBound, position: position)
        }
        if version.minor == 0, !leniency.contains(.chunkedInHTTP10) {
            throw Refusal(reason: .transferEncodingInHTTP10, offset: value.lowerBound, position: position)
        }
        var isEmpty = true
        list.begin(value)
        while let element = list.next(in: bytes) {
            isEmpty = false
            guard !isChunked, bytes.extracting(element).isEqualIgnoringCase(to: "chunked".utf8.span) else {
                throw Refusal(reason: .transferCoding, offset: element.lowerBound, position: position)
            }
            isChunked = true
        }
        if isEmpty { throw Refusal(reason: .transferCoding, offset: value.lowerBound, position: position) }
    }

    private mutating func readConnection(_ bytes: Span<UInt8>, _ value: Range<Int>, _ list: inout ListReader) {
        // Nearly always there is one option, and no list to parse.
        if FramingField(bytes, value) == .keepAlive {
            saysKeepAlive = true
            return
        }
        list.begin(value)
        while let element = list.next(in: bytes) {
            let option = bytes.extracting(element)
            if option.isEqualIgnoringCase(to: "close".utf8.span) { saysClose = true }
            if option.isEqualIgnoringCase(to: "keep-alive".utf8.span) { saysKeepAlive = true }
        }
        // The option may be among those that are not read.
        if list.isTooLong { saysClose = true }
    }
}

/// The fields that the decoder interprets.
enum FramingField {
    case contentLength
    case transferEncoding
    case connection
    case keepAlive

    /// Recognised by length first, then by overlapping words of eight letters: this runs for every response.
    @inline(__always)
    init?(_ bytes: Span<UInt8>, _ name: Range<Int>) {
        let start = name.lowerBound
        switch name.count {
        case 10:
            switch (bytes.foldedWord(at: start), bytes.foldedWord(at: start &+ 2)) {
            case (0x6974_6365_6E6E_6F63, 0x6E6F_6974_6365_6E6E): self = .connection  // "connecti" "nnection"
            case (0x696C_612D_7065_656B, 0x6576_696C_612D_7065): self = .keepAlive  // "keep-ali" "ep-alive"
            case _: return nil
            }
        case 14:
            switch (bytes.foldedWord(at: start), bytes.foldedWord(at: start &+ 6)) {
            case (0x2D74_6E65_746E_6F63, 0x6874_676E_656C_2D74): self = .contentLength  // "content-" "t-length"
            case _: return nil
            }
        case 17:
            let last = bytes[start &+ 16] | 0x20
            switch (bytes.foldedWord(at: start), bytes.foldedWord(at: start &+ 8), last) {
            case (0x7265_6673_6E61_7274, 0x6E69_646F_636E_652D, 0x67): self = .transferEncoding  // "transfer-encoding"
            case _: return nil
            }
        case _: return nil
        }
    }

    /// Whether a name of this length may be one of these fields: true for few fields of a usual head.
    @inline(__always)
    static func mayHave(length: UInt32) -> Bool {
        let lengths: UInt32 = 1 << 10 | 1 << 14 | 1 << 17
        return lengths &>> length & 1 == 1 && length < 32
    }

    /// Whether the field frames the content.
    static func isFraming(_ name: Span<UInt8>) -> Bool {
        switch FramingField(name, 0..<name.count) {
        case .contentLength, .transferEncoding: true
        case .connection, .keepAlive, nil: false
        }
    }
}

/// What a server's `Keep-Alive` field promises of its idle connections (RFC 2068 §19.7.1.1, still in wide use).
public struct KeepAlive: Sendable, Hashable {
    /// The number of seconds for which the server keeps an idle connection open.
    public var timeout: Int?
    /// The number of further requests that the server accepts on this connection.
    public var max: Int?

    /// Creates a value; `nil` for what the server did not say.
    public init(timeout: Int? = nil, max: Int? = nil) {
        self.timeout = timeout
        self.max = max
    }

    /// Reads `timeout=5, max=100`. The field is only a hint, so malformed elements are skipped.
    mutating func read(_ bytes: Span<UInt8>, _ value: Range<Int>, _ list: inout ListReader) {
        list.begin(value)
        while let element = list.next(in: bytes) {
            var equals = element.lowerBound
            while equals < element.upperBound, bytes[equals] != UInt8(ascii: "=") { equals &+= 1 }
            guard equals < element.upperBound else { continue }
            guard case .value(let number) = Decimal.read(bytes, (equals &+ 1)..<element.upperBound) else { continue }
            let name = bytes.extracting(element.lowerBound..<equals)
            if name.isEqualIgnoringCase(to: "timeout".utf8.span) { timeout = number }
            if name.isEqualIgnoringCase(to: "max".utf8.span) { max = number }
        }
    }
}
