// SPDX-License-Identifier: Apache-2.0

extension Session {
    /// The largest event that is read unless the caller says otherwise, in octets: 1 MB.
    public static let maximumEventSize = 1 << 20

    /// The server-sent events that `request` brings, as an async sequence. The request is sent when somebody iterates,
    /// with `Accept: text/event-stream` and `Cache-Control: no-store` unless it has such fields, and with
    /// `Last-Event-ID` when a stream is taken up again. A server that says nothing is waited for as long as its machine
    /// is there, unless the request has time limits.
    ///
    /// - Parameters:
    ///   - request: What to ask.
    ///   - reconnection: Whether to ask again when a stream has ended. By default a GET is, and anything else, which
    ///     may do something twice, is not.
    ///   - maximumEventSize: In octets: what bounds the memory that a server which ends no event can have of us.
    public func events(
        for request: URLRequest, reconnection: ReconnectionPolicy? = nil,
        maximumEventSize: Int = Session.maximumEventSize
    ) -> ServerSentEvents {
        var request = request
        for (name, value) in [("Accept", "text/event-stream"), ("Cache-Control", "no-store")]
        where request.value(forHTTPHeaderField: name) == nil {
            request.setValue(value, forHTTPHeaderField: name)
        }
        if request.timeouts == nil {
            request.timeouts = configuration.timeouts
            request.timeouts?.idle = nil
        }
        return ServerSentEvents(
            request: request, policy: reconnection ?? (request.method == "GET" ? ReconnectionPolicy() : .never),
            limit: maximumEventSize,
            connect: { request throws(EngineError) in try await self.bytes(for: request) },
            sleep: { try await Task.sleep(for: $0) })
    }
}
