// SPDX-License-Identifier: Apache-2.0

/// Reads a stream of server-sent events, however it comes, as WHATWG HTML §9.2.6 has it: decides, does nothing.
///
/// An event counts what would have to be kept of it, and the line that is on its way, against its limit; comments cost
/// nothing.
struct EventParser: ~Copyable {
    /// What came was larger than allowed. Thrown again and again from then on.
    struct TooLarge: Error, Equatable {
        /// In octets.
        let limit: Int
    }

    private let limit: Int
    private var lines: LineSplitter
    /// Each `data` field with an LF behind it.
    private var data: [UInt8] = []
    private var type: [UInt8] = []
    private var idBuffer: String
    private var isTooLarge = false
    /// Of the last event that was complete, with data or without.
    private(set) var lastEventID: String
    /// After which the stream is to be taken up again when it has ended, in milliseconds, if it has said so.
    private(set) var reconnectionTime: Int?

    /// - Parameter lastEventID: of the stream that this one takes up again. The standard has its buffer begin empty,
    ///   and browsers do not: an event without an `id` behind a lost connection would lose the place that was reached.
    init(limit: Int, lastEventID: String = "") {
        self.limit = max(0, limit)
        lines = LineSplitter(limit: limit)
        idBuffer = lastEventID
        self.lastEventID = lastEventID
    }

    /// The next event of `bytes[offset...]`, behind whose end `offset` moves; nil if there is none, and then the rest
    /// is kept. An event that nothing has ended when the stream does is none.
    mutating func next(in bytes: Span<UInt8>, from offset: inout Int) throws(TooLarge) -> ServerSentEvent? {
        do throws(LineSplitter.TooLong) {
            while !isTooLarge, let found = try lines.next(in: bytes, from: &offset) {
                switch found {
                case .here(let range) where range.isEmpty: if let event = dispatch() { return event }
                case .here(let range): take(bytes.extracting(range))
                case .kept:
                    let line = lines.takeKept()
                    if line.isEmpty, let event = dispatch() { return event }
                    take(line.span)
                }
            }
        } catch {
            isTooLarge = true
        }
        if isTooLarge { throw TooLarge(limit: limit) }
        return nil
    }

    private mutating func take(_ line: Span<UInt8>) {
        let colon = line.firstColon
        // A comment.
        if line.isEmpty || colon == 0 { return }
        var value = line.extracting(droppingFirst: min(colon + 1, line.count))
        if value.count > 0, value[0] == UInt8(ascii: " ") { value = value.extracting(droppingFirst: 1) }
        take(field: line.extracting(first: colon), value)
        if data.count + type.count + idBuffer.utf8.count > limit { isTooLarge = true }
    }

    private mutating func take(field name: Span<UInt8>, _ value: Span<UInt8>) {
        if name.isEqual(to: "event") {
            type = value.octets
        } else if name.isEqual(to: "data") {
            data += value.octets
            data.append(UInt8(ascii: "\n"))
        } else if name.isEqual(to: "id") {
            if !value.indices.contains(where: { value[$0] == 0 }) { idBuffer = String(decoding: value) }
        } else if name.isEqual(to: "retry") {
            if let time = value.decimal { reconnectionTime = time }
        }
    }

    /// An empty line: an event if there are data.
    private mutating func dispatch() -> ServerSentEvent? {
        defer {
            data = []
            type = []
        }
        lastEventID = idBuffer
        if data.isEmpty { return nil }
        return ServerSentEvent(
            event: type.isEmpty ? ServerSentEvent.defaultType : String(decoding: type, as: UTF8.self),
            data: String(decoding: data.dropLast(), as: UTF8.self), id: lastEventID)
    }
}

extension Span<UInt8> {
    /// The place of the first colon, `count` if there is none.
    fileprivate var firstColon: Int {
        var place = 0
        while place < count, self[place] != UInt8(ascii: ":") { place += 1 }
        return place
    }

    fileprivate func isEqual(to name: StaticString) -> Bool {
        guard count == name.utf8CodeUnitCount else { return false }
        // The text is there for ever, and as long as it says.
        let text = unsafe UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        return indices.allSatisfy { unsafe self[$0] == text[$0] }
    }

    fileprivate var octets: [UInt8] { unsafe withUnsafeBufferPointer { unsafe Array($0) } }

    /// The number that ASCII digits are, the largest there is for one that is too large; nil for anything else, such as
    /// nothing.
    fileprivate var decimal: Int? {
        if isEmpty { return nil }
        var number = 0
        for index in indices {
            guard case UInt8(ascii: "0")...UInt8(ascii: "9") = self[index] else { return nil }
            let (tenfold, overflows) = number.multipliedReportingOverflow(by: 10)
            let (sum, carries) = tenfold.addingReportingOverflow(Int(self[index] & 15))
            number = overflows || carries ? .max : sum
        }
        return number
    }
}
