// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Why a body cannot be read as lines, characters, values or events. The elements before have been delivered.
public enum StreamedBodyError: Error, Sendable {
    /// A line is longer than the maximum, in bytes without its terminator.
    case lineTooLong(limit: Int)
    /// A character of a body that is read as characters is longer than the maximum, in bytes.
    case characterTooLong(limit: Int)
    /// A line, counted from 1 with blank ones, cannot be decoded; with the decoder's error.
    case undecodableLine(number: Int, any Error)
    /// An event, or a line of one, is longer than the maximum in bytes.
    case eventTooLarge(limit: Int)
    /// The data of an event cannot be decoded; with the decoder's error.
    case undecodableEvent(any Error)
    /// The response to a request for events is not an event stream: its status is not 200, or its type not
    /// `text/event-stream`.
    case notEvents(status: Int, contentType: String?)
    /// The response to a request for events is coded, and decoding is off.
    case codedEvents(String)
}

extension StreamedBodyError: CustomStringConvertible {
    var kind: SessionError.Kind {
        switch self {
        case .lineTooLong: .lineTooLong
        case .characterTooLong: .characterTooLong
        case .undecodableLine: .lineUndecodable
        case .eventTooLarge: .eventTooLarge
        case .undecodableEvent: .valueUndecodable
        case .notEvents: .notEvents
        case .codedEvents: .codedEvents
        }
    }

    /// One line for a log. Contains nothing of the body.
    public var description: String {
        switch self {
        case .lineTooLong(let limit): "a line is longer than \(limit) bytes"
        case .characterTooLong(let limit): "a character is longer than \(limit) bytes"
        case .undecodableLine(let number, _): "line \(number) cannot be decoded"
        case .eventTooLarge(let limit): "an event is larger than \(limit) bytes"
        case .undecodableEvent: "the data of an event cannot be decoded"
        case .notEvents(let status, let type) where status == 200:
            "the response is \(type.map { $0.excerpt } ?? "without a type"), not text/event-stream"
        case .notEvents(let status, _): "the server answered \(status), not 200"
        case .codedEvents(let coding): "the events are coded with \(coding.excerpt), which was not asked for"
        }
    }
}
