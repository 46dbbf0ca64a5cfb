// SPDX-License-Identifier: Apache-2.0

/// One event of a stream of server-sent events (WHATWG HTML §9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// What an event is of that does not say.
    public static let defaultType = "message"

    /// What it is of: its `event` field, or ``defaultType``.
    public var event: String
    /// Its `data` fields, joined with LF.
    public var data: String
    /// The last `id` that the stream has named, with this event or before it; empty if there was none. What the server
    /// is told when the stream is taken up again.
    public var id: String

    /// An event.
    public init(event: String = Self.defaultType, data: String, id: String = "") {
        self.event = event
        self.data = data
        self.id = id
    }
}
