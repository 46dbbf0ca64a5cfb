// SPDX-License-Identifier: Apache-2.0

/// Decodes the chunked transfer coding (RFC 9112 §7.1), one state per position in its grammar.
struct ChunkedDecoder: ~Copyable {
    private enum Position {
        /// At, or within, a chunk-size line. Exits: `data`, and `trailers` for a size of zero.
        case size
        /// Within chunk data; so many bytes are left. Exit: `dataEnd`.
        case data(left: Int)
        /// At the CR behind chunk data. Exit: `dataEndLineFeed`.
        case dataEnd
        /// At the LF behind chunk data. Exit: `size`.
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
    /// The chunk-size line so far, when it did not arrive whole.
    private var partial: [UInt8] = []
    /// Bytes of framing and of content, as announced so far.
    private var overhead = 0
    private var content = 0

    mutating func begin() {
        position = .size
        partial.removeAll(keepingCapacity: true)
        overhead = 0
        content = 0
    }

    /// Decodes from `bytes[offset...]`, moving `offset`, up to the trailer section, which is the section decoder's.
    ///
    /// - Parameter origin: where `bytes` begins in the response, before it if the response began within; for errors.
    mutating func decode(
        _ bytes: Span<UInt8>, from offset: inout Int, origin: Int, _ limits: Limits, _ leniency: Leniency
    ) throws(HTTP1Error) -> Event {
        while true {
            switch position {
            case .data(let left):
                let available = min(left, bytes.count &- offset)
                guard available > 0 else { return .needMoreBytes }
                let data = offset..<(offset &+ available)
                offset = data.upperBound
                position = available == left ? .dataEnd : .data(left: left &- available)
                return .data(data)
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
                position = size == 0 ? .trailers : .data(left: size)
            case .trailers: return .trailers
            }
        }
    }

    var isInTrailers: Bool {
        if case .trailers = position { true } else { false }
    }

    private func take(
        _ expected: UInt8, _ bytes: Span<UInt8>, _ offset: inout Int, _ origin: Int
    ) throws(HTTP1Error) -> Bool {
        guard offset < bytes.count else { return false }
        guard bytes[offset] == expected else {
            throw HTTP1Error(
                .chunk(.dataEnd), offset: origin &+ offset,
                excerpt: Excerpt.of(bytes, offset..<(offset &+ 1)))
        }
        offset &+= 1
        return true
    }

    private mutating func readSize(
        _ bytes: Span<UInt8>, _ offset: inout Int, _ origin: Int, _ limits: Limits, _ leniency: Leniency
    ) throws(HTTP1Error) -> Int? {
        guard partial.isEmpty else { return try resumeSize(bytes, &offset, origin, limits, leniency) }
        let line = offset
        if let found = try Self.readLine(bytes, line, streamOffset: origin &+ line, limits, leniency) {
            try count(found.size, line: found.next &- line, at: origin &+ line, limits)
            offset = found.next
            return found.size
        }
        partial.append(copying: bytes, line..<bytes.count)
        offset = bytes.count
        return nil
    }

    private mutating func resumeSize(
        _ bytes: Span<UInt8>, _ offset: inout Int, _ origin: Int, _ limits: Limits, _ leniency: Leniency
    ) throws(HTTP1Error) -> Int? {
        let lineFeed = bytes.firstLineFeed(from: offset)
        let end = min(lineFeed &+ 1, bytes.count)
        let start = origin &+ offset &- partial.count
        partial.append(copying: bytes, offset..<end)
        offset = end
        guard lineFeed < bytes.count || partial.count >= limits.chunkLineBytes.addingSaturating(2) else { return nil }
        guard let found = try Self.readLine(partial.span, 0, streamOffset: start, limits, leniency) else { return nil }
        try count(found.size, line: found.next, at: start, limits)
        partial.removeAll(keepingCapacity: true)
        return found.size
    }

    @inline(__always)
    private static func readLine(
        _ bytes: Span<UInt8>, _ line: Int, streamOffset: Int, _ limits: Limits, _ leniency: Leniency
    ) throws(HTTP1Error) -> (size: Int, next: Int)? {
        let limit = limits.chunkLineBytes
        switch ChunkLine.read(bytes, at: line, paddedSize: leniency.contains(.paddedChunkSize)) {
        case .size(let size, let next):
            guard next &- line &- 2 <= limit else {
                throw error(.limit(.chunkLineBytes), bytes, line, line &+ limit, streamOffset)
            }
            return (size, next)
        case .incomplete: try judge(bytes, line, nil, streamOffset, limit)
        case .malformed(let reason, let position): try judge(bytes, line, (reason, position), streamOffset, limit)
        }
        return nil
    }

    private static func judge(
        _ bytes: Span<UInt8>, _ line: Int, _ wrong: (reason: HTTP1Error.Chunk, position: Int)?, _ streamOffset: Int,
        _ limit: Int
    ) throws(HTTP1Error) {
        switch LineVerdict(bytes, line: line, wrong: wrong?.position, limit: limit) {
        case .wait: return
        case .refuse(let position, let isTooLong):
            let reason = isTooLong ? nil : wrong.map { HTTP1Error.Reason.chunk($0.reason) }
            throw error(reason ?? .limit(.chunkLineBytes), bytes, line, position, streamOffset)
        }
    }

    private static func error(
        _ reason: HTTP1Error.Reason, _ bytes: Span<UInt8>, _ line: Int, _ position: Int, _ streamOffset: Int
    ) -> HTTP1Error {
        HTTP1Error(
            reason, offset: streamOffset.addingSaturating(position &- line),
            excerpt: Excerpt.of(bytes, line..<position.addingSaturating(1)))
    }

    /// Cheap bytes must not make dear work: a chunk of one byte behind an extension of four thousand is refused before
    /// long. Sizes count as announced, so the verdict does not depend on how much has arrived.
    @inline(__always)
    private mutating func count(_ size: Int, line: Int, at offset: Int, _ limits: Limits) throws(HTTP1Error) {
        content = content.addingSaturating(size)
        overhead = overhead.addingSaturating(line &+ 2)
        guard overhead > limits.chunkOverheadAllowance else { return }
        let proportionate = content.multipliedSaturating(by: limits.chunkOverheadRatio)
        guard overhead &- limits.chunkOverheadAllowance > proportionate else { return }
        throw HTTP1Error(.limit(.chunkOverhead), offset: offset)
    }
}
