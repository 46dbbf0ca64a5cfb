// SPDX-License-Identifier: Apache-2.0

extension Session {
    /// The largest event that is read unless the caller says otherwise, in octets: 1 MB.
    public static let maximumEventSize = 1 << 20

    /// Returns the server-sent events that `request` brings, as an async sequence. The request is sent when the
    /// iteration begins, with `Accept: text/event-stream` and `Cache-Control: no-store` unless it has such fields, and
    /// with `Last-Event-ID` when a stream is resumed. A server that sends nothing is waited for as long as its machine
    /// answers, unless the request has time limits.
    ///
    /// - Parameters:
    ///   - request: The request that asks for the stream.
    ///   - reconnection: Whether to ask again when a stream has ended. By default a GET is asked again; a request with
    ///     another method, which may do something twice, is not.
    ///   - maximumEventSize: The maximum size of one event in bytes, which bounds the memory that a server can use.
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
            connect: { request throws(SessionError) in try await self.bytes(for: request) },
            sleep: { try await Task.sleep(for: $0) })
    }
}
