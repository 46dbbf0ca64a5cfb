// SPDX-License-Identifier: Apache-2.0

/// Why a body cannot be read as what it was to be read as: lines, values or events. What came before has been
/// delivered.
public enum StreamedBodyError: Error, Sendable {
    /// A line has more octets than allowed, without what ends it.
    case lineTooLong(limit: Int)
    /// A line, counted from 1 with blank ones, is not what was asked for; and what the decoder says of it.
    case undecodableLine(number: Int, any Error)
    /// An event, or a line on its way to one, has more octets than allowed.
    case eventTooLarge(limit: Int)
    /// The response to a request for events is none: another status than 200, or another type than `text/event-stream`.
    case notEvents(status: Int, contentType: String?)
    /// The response to a request for events is coded, and was not to be decoded.
    case codedEvents(String)
}

extension StreamedBodyError: CustomStringConvertible {
    var kind: String {
        switch self {
        case .lineTooLong: "line-too-long"
        case .undecodableLine: "line-undecodable"
        case .eventTooLarge: "event-too-large"
        case .notEvents: "not-events"
        case .codedEvents: "coded-events"
        }
    }

    /// One line for a log. Holds nothing of the body.
    public var description: String {
        switch self {
        case .lineTooLong(let limit): "a line has at most \(limit) bytes"
        case .undecodableLine(let number, _): "line \(number) is not what was asked for"
        case .eventTooLarge(let limit): "an event has at most \(limit) bytes"
        case .notEvents(let status, let type) where status == 200:
            "events come as text/event-stream, and not as \(type ?? "no type")"
        case .notEvents(let status, _): "events come with status 200, and not with \(status)"
        case .codedEvents(let coding): "the events are coded with \(coding.prefix(100)), which was not asked for"
        }
    }
}
