// SPDX-License-Identifier: Apache-2.0

/// Decodes a section, header or trailer, from pieces of any size.
///
/// A section that arrives whole is read where it lies. One that does not is collected in `partial`, line by line: a
/// new piece is searched for the next line end only, so nothing is searched twice, and a line is read once it is whole.
struct SectionDecoder: ~Copyable {
    private var lines = SectionLines()
    /// The section so far, when it did not arrive whole.
    private var partial: [UInt8] = []
    /// Where the first line not yet read begins, in `partial`.
    private var line = 0
    /// Where the section begins, in bytes of the exchange's response.
    private(set) var start = 0

    /// What is kept allocated between messages for sections that arrive in pieces.
    private static let keptCapacity = 4 * 1024

    mutating func begin(at start: Int) {
        self.start = start
        line = 0
        lines.reset()
        if !partial.isEmpty { partial.removeAll() }
    }

    var statusLine: StatusLine? { lines.statusLine }

    /// Decodes from `bytes[offset...]`, moving `offset` past what was taken; `nil` while the section is incomplete.
    @inline(__always)
    mutating func decode(
        _ bytes: Span<UInt8>, from offset: inout Int, _ rules: SectionRules
    ) throws(HTTP1Error) -> FieldBlock? {
        guard partial.isEmpty else { return try resume(bytes, from: &offset, rules) }
        let section = offset
        var next = section
        do throws(SectionLines.Refusal) {
            if try lines.read(bytes, section: section, line: &next, rules) {
                offset = next
                return block(bytes, section..<next)
            }
        } catch {
            throw self.error(error, bytes, section: section)
        }
        partial.append(copying: bytes, section..<bytes.count)
        line = next &- section
        offset = bytes.count
        return nil
    }

    private mutating func resume(
        _ bytes: Span<UInt8>, from offset: inout Int, _ rules: SectionRules
    ) throws(HTTP1Error) -> FieldBlock? {
        while offset < bytes.count {
            let lineFeed = bytes.firstLineFeed(from: offset)
            let end = min(lineFeed &+ 1, bytes.count)
            partial.append(copying: bytes, offset..<end)
            offset = end
            guard lineFeed < bytes.count || lines.isDue(partial.span, line: line, rules) else { return nil }
            do throws(SectionLines.Refusal) {
                if try lines.read(partial, line: &line, rules) {
                    let block = block(partial.span, 0..<partial.count)
                    // Here and not when the next section begins: until then the connection may be idle for long.
                    partial.removeAll(keepingCapacity: partial.capacity <= Self.keptCapacity)
                    return block
                }
            } catch {
                throw self.error(error, partial.span, section: 0)
            }
        }
        return nil
    }

    @inline(__always)
    private func block(_ bytes: Span<UInt8>, _ section: Range<Int>) -> FieldBlock {
        if lines.count == 0, lines.statusLine == nil { return .empty }
        let positions = lines.table.span.extracting(..<lines.count)
        return FieldBlock(copying: bytes.extracting(section), positions: positions, hasFolds: lines.hasFolds)
    }

    private func error(_ refusal: SectionLines.Refusal, _ bytes: Span<UInt8>, section: Int) -> HTTP1Error {
        HTTP1Error(
            refusal.reason, offset: start.addingSaturating(refusal.position &- section),
            excerpt: Excerpt.ofLine(bytes, refusal.line, upTo: refusal.position))
    }
}
