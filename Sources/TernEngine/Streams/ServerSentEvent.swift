// SPDX-License-Identifier: Apache-2.0

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
