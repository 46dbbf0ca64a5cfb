// SPDX-License-Identifier: Apache-2.0

/// Parses a stream of server-sent events, however it is split, as in WHATWG HTML §9.2.6. A pure state machine.
///
/// The limit of an event counts the bytes that must be kept of it, and of its current line; comments are free.
struct EventParser: ~Copyable {
    /// The event was larger than allowed. Thrown by every further call.
    struct TooLarge: Error, Equatable {
        /// In bytes.
        let limit: Int
    }

    private let limit: Int
    private var lines: LineSplitter
    /// The `data` fields, each followed by an LF.
    private var data: [UInt8] = []
    private var type: [UInt8] = []
    private var idBuffer: String
    private var isTooLarge = false
    /// The ID of the last complete event, with data or without.
    private(set) var lastEventID: String
    /// The time after which the stream is to be resumed when it has ended, in milliseconds, if the server has set it.
    private(set) var reconnectionTime: Int?

    /// - Parameter lastEventID: the last ID of the stream that this one resumes. The standard starts with an empty
    ///   buffer, but browsers do not: an event without an `id` after a lost connection would lose the position reached.
    init(limit: Int, lastEventID: String = "") {
        self.limit = max(0, limit)
        lines = LineSplitter(limit: limit)
        idBuffer = lastEventID
        self.lastEventID = lastEventID
    }

    /// Returns the next event of `bytes[offset...]`, moving `offset` past it; nil if it is incomplete, and then the
    /// bytes are kept. An event that is incomplete at the end of the stream is dropped.
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
            type = value.bytes
        } else if name.isEqual(to: "data") {
            data += value.bytes
            data.append(UInt8(ascii: "\n"))
        } else if name.isEqual(to: "id") {
            if !value.indices.contains(where: { value[$0] == 0 }) { idBuffer = String(decoding: value) }
        } else if name.isEqual(to: "retry") {
            if let time = value.decimal { reconnectionTime = time }
        }
    }

    /// An empty line: an event if there is data.
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
    /// The position of the first colon, `count` if there is none.
    fileprivate var firstColon: Int {
        var place = 0
        while place < count, self[place] != UInt8(ascii: ":") { place += 1 }
        return place
    }

    fileprivate func isEqual(to name: StaticString) -> Bool {
        guard count == name.utf8CodeUnitCount else { return false }
        // The text is a static string, with its own length.
        let text = unsafe UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        return indices.allSatisfy { unsafe self[$0] == text[$0] }
    }

    fileprivate var bytes: [UInt8] { unsafe withUnsafeBufferPointer { unsafe Array($0) } }

    /// The number in ASCII digits, clamped to the maximum; nil for anything else, such as an empty text.
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

/// One event of a stream of server-sent events (WHATWG HTML §9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The default type of an event.
    public static let defaultType = "message"

    /// The type of the event: its `event` field, or ``defaultType``.
    public var event: String
    /// The `data` fields, joined with LF.
    public var data: String
    /// The last `id` of the stream, with this event or before it; empty if there was none. The server receives it when
    /// the stream is resumed.
    public var id: String

    /// An event.
    public init(event: String = Self.defaultType, data: String, id: String = "") {
        self.event = event
        self.data = data
        self.id = id
    }
}
