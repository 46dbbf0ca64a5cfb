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

    /// Inspects a header section before it is copied, while its bytes and positions are at hand.
    typealias Inspection = (Span<UInt8>, Span<FieldPosition>, StatusLine) throws(HTTPProtocolError) -> Void

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
        if let statusLine { try inspect(section, positions, statusLine) }
        return FieldBlock(copying: section, positions: positions, hasFolds: lines.hasFolds)
    }

    private func error(_ refusal: SectionLines.Refusal, _ bytes: Span<UInt8>, section: Int) -> HTTPProtocolError {
        HTTPProtocolError(
            refusal.reason, offset: start.addingSaturating(refusal.position &- section),
            excerpt: Excerpt.ofLine(bytes, refusal.line, upTo: refusal.position))
    }
}
