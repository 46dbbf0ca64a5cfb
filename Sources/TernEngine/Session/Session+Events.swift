// SPDX-License-Identifier: Apache-2.0
import TernIO

extension Session {
    /// The default maximum size of an event: 1 MB.
    public static let maximumEventSize = 1 << 20

    /// Returns the server-sent events of `request` as an async sequence. The request is sent when the iteration begins,
    /// with `Accept: text/event-stream` and `Cache-Control: no-store` unless it has such fields, and with
    /// `Last-Event-ID` when a stream is resumed. A server may send nothing for any time as long as its machine
    /// responds, unless the request has timeouts.
    ///
    /// - Parameters:
    ///   - request: the request for the stream.
    ///   - reconnection: whether to reconnect when a stream has ended. By default a GET is sent again; a request with
    ///     another method, which may have a second effect, is not.
    ///   - maximumEventSize: the maximum size of one event in bytes, which bounds the memory that a server can use.
    ///   - delegate: of the task of each stream, as for `data(for:delegate:)`.
    public func events(
        for request: URLRequest, reconnection: ReconnectionPolicy? = nil,
        maximumEventSize: Int = Session.maximumEventSize, delegate: (any SessionTaskDelegate)? = nil
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
            retries: request.retryPolicy ?? configuration.retryPolicy, limit: maximumEventSize,
            connect: { request throws(SessionError) in
                try await self.bytes(for: request, delegate: delegate)
            },
            sleep: { [clock = configuration.clock] in try await $0.sleep(by: clock) })
    }
}
