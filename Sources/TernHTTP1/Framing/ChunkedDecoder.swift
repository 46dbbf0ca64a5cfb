// SPDX-License-Identifier: Apache-2.0

/// Decodes the chunked transfer coding (RFC 9112 §7.1), one state per position in its grammar.
struct ChunkedDecoder: ~Copyable {
    private enum Position {
        /// At, or within, a chunk-size line. Exits: `data`, and `trailers` for a size of zero.
        case size
        /// Within chunk data. Exit: `dataEnd`.
        case data
        /// At the CR after chunk data. Exit: `dataEndLineFeed`.
        case dataEnd
        /// At the LF after chunk data. Exit: `size`.
        case dataEndLineFeed
        /// Within the trailer section. Exit: the end.
        case trailers
    }

    enum Event {
        case needMoreBytes
        case data(Range<Int>)
        case trailers
    }

    private var position = Position.size
    /// The number of bytes of the current chunk's data still to come.
    private var left = 0
    /// The chunk-size line so far, if it did not arrive whole.
    private var partial: [UInt8] = []
    /// The numbers of framing bytes and of content bytes announced so far.
    private var overhead = 0
    private var content = 0

    mutating func begin() {
        position = .size
        partial.removeAll(keepingCapacity: true)
        overhead = 0
        content = 0
    }

    /// Decodes from `bytes[offset...]`, moving `offset`, up to the trailer section, which the section decoder reads.
    ///
    /// - Parameter origin: the position of `bytes` in the response, for errors; negative if the response began within
    ///   `bytes`.
    mutating func decode(
        _ bytes: Span<UInt8>, from offset: inout Int, origin: Int, _ limits: ParsingLimits, _ leniency: ParsingLeniency
    ) throws(HTTPProtocolError) -> Event {
        while true {
            switch position {
            case .data:
                guard offset < bytes.count else { return .needMoreBytes }
                return .data(takeData(bytes, from: &offset))
            case .dataEnd:
                guard try take(.carriageReturn, bytes, &offset, origin) else { return .needMoreBytes }
                position = .dataEndLineFeed
            case .dataEndLineFeed:
                guard try take(.lineFeed, bytes, &offset, origin) else { return .needMoreBytes }
                position = .size
            case .size:
                guard let size = try readSize(bytes, &offset, origin, limits, leniency) else {
                    return .needMoreBytes
                }
                left = size
                position = size == 0 ? .trailers : .data
            case .trailers: return .trailers
            }
        }
    }

    /// Fast path from the end of one chunk's data to the next chunk's data: nearly every chunk is only a size, CRLF,
    /// data and CRLF. `nil` has no meaning and no effect: call ``decode(_:from:origin:_:_:)`` then.
    @inline(__always)
    mutating func decodeFastPath(_ bytes: Span<UInt8>, from offset: inout Int, _ limits: ParsingLimits) -> Range<Int>? {
        var end = offset
        switch position {
        case .dataEnd:
            guard bytes.startsLineEnd(at: end) else { return nil }
            end &+= 2
        case .size where partial.isEmpty: break
        case .size, .data, .dataEndLineFeed, .trailers: return nil
        }
        let line = end
        var size = 0
        while end < bytes.count {
            let digit = bytes[end].hexadecimalDigit
            guard digit < 16 else { break }
            size = size &<< 4 | Int(digit)
            end &+= 1
        }
        let digits = end &- line
        guard size > 0, digits < 16, digits <= limits.maximumChunkLineSize, bytes.startsLineEnd(at: end),
            end &+ 2 < bytes.count, count(size, line: digits &+ 2, limits)
        else { return nil }
        left = size
        offset = end &+ 2
        return takeData(bytes, from: &offset)
    }

    /// The available part of the chunk's data.
    @inline(__always)
    private mutating func takeData(_ bytes: Span<UInt8>, from offset: inout Int) -> Range<Int> {
        let start = offset
        offset &+= min(left, bytes.count &- offset)
        left &-= offset &- start
        position = left == 0 ? .dataEnd : .data
        return start..<max(start, offset)
    }

    var isInTrailers: Bool { position == .trailers }

    private func take(
        _ expected: UInt8, _ bytes: Span<UInt8>, _ offset: inout Int, _ origin: Int
    ) throws(HTTPProtocolError) -> Bool {
        guard offset < bytes.count else { return false }
        guard bytes[offset] == expected else {
            throw HTTPProtocolError(
                .chunk(.dataEnd), offset: origin &+ offset,
                excerpt: Excerpt.of(bytes, offset..<(offset &+ 1)))
        }
        offset &+= 1
        return true
    }

    private mutating func readSize(
        _ bytes: Span<UInt8>, _ offset: inout Int, _ origin: Int, _ limits: ParsingLimits, _ leniency: ParsingLeniency
    ) throws(HTTPProtocolError) -> Int? {
        guard partial.isEmpty else { return try resumeSize(bytes, &offset, origin, limits, leniency) }
        let line = offset
        if let found = try Self.readLine(bytes, line, streamOffset: origin &+ line, limits, leniency) {
            try checkCount(found.size, line: found.next &- line, at: origin &+ line, limits)
            offset = found.next
            return found.size
        }
        partial.append(copying: bytes, line..<bytes.count)
        offset = bytes.count
        return nil
    }

    private mutating func resumeSize(
        _ bytes: Span<UInt8>, _ offset: inout Int, _ origin: Int, _ limits: ParsingLimits, _ leniency: ParsingLeniency
    ) throws(HTTPProtocolError) -> Int? {
        let lineFeed = bytes.firstLineFeed(from: offset)
        let end = min(lineFeed &+ 1, bytes.count)
        let start = origin &+ offset &- partial.count
        partial.append(copying: bytes, offset..<end)
        offset = end
        guard lineFeed < bytes.count || partial.count >= limits.maximumChunkLineSize.addingSaturating(2) else {
            return nil
        }
        guard let found = try Self.readLine(partial.span, 0, streamOffset: start, limits, leniency) else { return nil }
        try checkCount(found.size, line: found.next, at: start, limits)
        partial.removeAll(keepingCapacity: true)
        return found.size
    }

    private static func readLine(
        _ bytes: Span<UInt8>, _ line: Int, streamOffset: Int, _ limits: ParsingLimits, _ leniency: ParsingLeniency
    ) throws(HTTPProtocolError) -> (size: Int, next: Int)? {
        let limit = limits.maximumChunkLineSize
        switch ChunkLine.read(bytes, at: line) {
        case .size(let size, let next):
            guard next &- line &- 2 <= limit else {
                throw error(.limit(.chunkLineSize), bytes, line, line &+ limit, streamOffset)
            }
            return (size, next)
        case .incomplete: try judge(bytes, line, nil, streamOffset, limit)
        case .malformed(let reason, let position): try judge(bytes, line, (reason, position), streamOffset, limit)
        }
        return nil
    }

    private static func judge(
        _ bytes: Span<UInt8>, _ line: Int, _ wrong: (reason: HTTPProtocolError.Chunk, position: Int)?,
        _ streamOffset: Int,
        _ limit: Int
    ) throws(HTTPProtocolError) {
        switch LineRefusal(bytes, line: line, wrong: wrong?.position, limit: limit) {
        case .wait: return
        case .refuse(let position, let isTooLong):
            let reason = isTooLong ? nil : wrong.map { HTTPProtocolError.Reason.chunk($0.reason) }
            throw error(reason ?? .limit(.chunkLineSize), bytes, line, position, streamOffset)
        }
    }

    private static func error(
        _ reason: HTTPProtocolError.Reason, _ bytes: Span<UInt8>, _ line: Int, _ position: Int, _ streamOffset: Int
    ) -> HTTPProtocolError {
        HTTPProtocolError(
            reason, offset: streamOffset.addingSaturating(position &- line),
            excerpt: Excerpt.of(bytes, line..<position.addingSaturating(1)))
    }

    private mutating func checkCount(
        _ size: Int, line: Int, at offset: Int, _ limits: ParsingLimits
    ) throws(HTTPProtocolError) {
        guard count(size, line: line, limits) else { throw HTTPProtocolError(.limit(.chunkOverhead), offset: offset) }
    }

    /// Counts a chunk, and refuses it if its framing is out of proportion: a peer must not cause much work with few
    /// bytes of content, such as a one-byte chunk after an extension of four thousand bytes. Sizes count as announced,
    /// so the result does not depend on how much has arrived.
    @inline(__always)
    private mutating func count(_ size: Int, line: Int, _ limits: ParsingLimits) -> Bool {
        let framing = overhead.addingSaturating(line &+ 2)
        let announced = content.addingSaturating(size)
        if framing > limits.chunkOverheadAllowance {
            let proportionate = announced.multipliedSaturating(by: limits.maximumChunkOverheadRatio)
            guard framing &- limits.chunkOverheadAllowance <= proportionate else { return false }
        }
        overhead = framing
        content = announced
        return true
    }
}
