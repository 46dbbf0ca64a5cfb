// SPDX-License-Identifier: Apache-2.0

/// Decodes a header or trailer section from chunks of any size.
///
/// A section that arrives whole is read in place. Otherwise it is collected in `partial`, line by line: only the new
/// bytes are searched for a line end, and a line is read once it is whole.
struct SectionDecoder: ~Copyable {
    private var lines = SectionLines()
    /// The section so far, if it did not arrive whole.
    private var partial: [UInt8] = []
    /// Where the first unread line begins, in `partial`.
    private var line = 0
    /// Where the section begins, in bytes of the exchange's response.
    private(set) var start = 0

    /// The capacity kept between messages for sections that arrive in several chunks.
    private static let keptCapacity = 4 * 1024

    mutating func begin(at start: Int) {
        self.start = start
        line = 0
        lines.reset()
        if !partial.isEmpty { partial.removeAll() }
    }

    var statusLine: StatusLine? { lines.statusLine }

    /// Inspects a header section before it is copied, while its bytes and positions are at hand, and returns the content
    /// length that it announces.
    typealias Inspection = (Span<UInt8>, Span<FieldPosition>, StatusLine) throws(HTTPProtocolError) -> Int?

    /// Decodes from `bytes[offset...]`, moving `offset` past the consumed bytes; `nil` while the section is incomplete.
    ///
    /// - Parameter inspect: receives a header section once it is whole; folded values are not unfolded yet.
    @inline(__always)
    mutating func decode(
        _ bytes: Span<UInt8>, from offset: inout Int, _ rules: SectionRules, inspect: Inspection
    ) throws(HTTPProtocolError) -> FieldBlock? {
        guard partial.isEmpty else { return try resume(bytes, from: &offset, rules, inspect) }
        let section = offset
        var next = section
        let isWhole: Bool
        do throws(SectionLines.Refusal) {
            isWhole = try lines.read(bytes, section: section, line: &next, rules)
        } catch {
            throw self.error(error, bytes, section: section)
        }
        guard isWhole else {
            partial.append(copying: bytes, section..<bytes.count)
            line = next &- section
            offset = bytes.count
            return nil
        }
        offset = next
        return try block(bytes.extracting(section..<next), inspect)
    }

    private mutating func resume(
        _ bytes: Span<UInt8>, from offset: inout Int, _ rules: SectionRules, _ inspect: Inspection
    ) throws(HTTPProtocolError) -> FieldBlock? {
        while offset < bytes.count {
            let lineFeed = bytes.firstLineFeed(from: offset)
            let end = min(lineFeed &+ 1, bytes.count)
            partial.append(copying: bytes, offset..<end)
            offset = end
            guard lineFeed < bytes.count || lines.isDue(partial.span, line: line, rules) else { return nil }
            let isWhole: Bool
            do throws(SectionLines.Refusal) {
                isWhole = try lines.read(partial, line: &line, rules)
            } catch {
                throw self.error(error, partial.span, section: 0)
            }
            guard isWhole else { continue }
            let block = try block(partial.span, inspect)
            // Cleared here rather than when the next section begins: the connection may be idle for long until then.
            partial.removeAll(keepingCapacity: partial.capacity <= Self.keptCapacity)
            return block
        }
        return nil
    }

    @inline(__always)
    private func block(_ section: Span<UInt8>, _ inspect: Inspection) throws(HTTPProtocolError) -> FieldBlock {
        if lines.count == 0, lines.statusLine == nil { return .empty }
        let positions = lines.table.span.extracting(..<lines.count)
        guard let statusLine else {
            return FieldBlock(copying: section, positions: positions, hasFolds: lines.hasFolds)
        }
        let length = try inspect(section, positions, statusLine)
        return FieldBlock(
            copying: section, positions: positions, hasFolds: lines.hasFolds, statusLine: statusLine,
            contentLength: length)
    }

    private func error(_ refusal: SectionLines.Refusal, _ bytes: Span<UInt8>, section: Int) -> HTTPProtocolError {
        HTTPProtocolError(
            refusal.reason, offset: start.addingSaturating(refusal.position &- section),
            excerpt: Excerpt.ofLine(bytes, refusal.line, upTo: refusal.position))
    }
}

/// The rules for the lines of one header or trailer section.
struct SectionRules {
    /// `nil` for a trailer section, which has no status line.
    var statusLineSize: Int?
    var lineBytes: Int
    var sectionBytes: Int
    var count: Int
    var bareLineFeed: Bool

    var isTrailer: Bool { statusLineSize == nil }

    static func header(_ limits: ParsingLimits, _ leniency: ParsingLeniency) -> SectionRules {
        SectionRules(
            statusLineSize: limits.maximumStatusLineSize, lineBytes: limits.maximumFieldLineSize,
            sectionBytes: limits.maximumFieldSectionSize, count: limits.maximumFieldCount,
            bareLineFeed: leniency.contains(.bareLineFeedInHead))
    }

    static func trailer(_ limits: ParsingLimits) -> SectionRules {
        SectionRules(
            statusLineSize: nil, lineBytes: limits.maximumFieldLineSize,
            sectionBytes: limits.maximumTrailerSectionSize, count: limits.maximumTrailerCount, bareLineFeed: false)
    }

    var countReason: HTTPProtocolError.Limit { isTrailer ? .trailerCount : .fieldCount }

    /// The maximum length of a line that begins `used` bytes into the section, and the limit it comes from.
    func lineLimit(used: Int) -> (bytes: Int, reason: HTTPProtocolError.Limit) {
        let left = max(0, sectionBytes &- used &- 2)
        if lineBytes <= left { return (lineBytes, .fieldLineSize) }
        return (left, isTrailer ? .trailerSectionSize : .fieldSectionSize)
    }
}

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
