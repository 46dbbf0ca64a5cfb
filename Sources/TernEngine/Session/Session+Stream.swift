// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

extension Session {
    /// Creates a task that opens a connection to a host and port, transfers bytes, and calls `delegate`. Call
    /// `resume()` to start it. Of the configuration it uses the reactors, the connect timeout, the Unix domain socket,
    /// the proxies, which open a tunnel, and, once it is secured, the trust settings.
    ///
    /// Its `originalRequest` is for `http://hostname:port/`, and never sent. An invalid host, or a port that is not
    /// from 1 to 65535, is reported when the task is started.
    public func streamTask(withHostName hostname: String, port: Int, delegate: any SessionTaskDelegate) -> StreamTask {
        makeStreamTask(hostname, port, delegate)
    }

    /// The same with the session's delegate, if it has one. Without one, releasing the task closes its connection.
    public func streamTask(withHostName hostname: String, port: Int) -> StreamTask {
        announced { makeStreamTask(hostname, port, $0) }
    }

    private func makeStreamTask(_ host: String, _ port: Int, _ delegate: (any SessionTaskDelegate)?) -> StreamTask {
        let request = URLRequest.forStream(to: host, port)
        let place = taskPlace(for: request)
        let route = Result { () throws(RouteRule.Refusal) in
            try taskDefaults.routes.route(for: request, isStream: true)
        }
        let opener = place.map { place in
            StreamOpener(place.shard.shared, along: try? route.get(), within: configuration.timeouts.connect)
        }
        let stream = place.flatMap { place in opener.map { RawStream(loop: place.shard.loop, assistant: $0) } }
        let task = StreamTask(request, stream, along: route, delegate: delegate, defaults: taskDefaults, at: place)
        opener?.respondent = task
        return made(task)
    }
}

extension URLRequest {
    fileprivate static func forStream(to host: String, _ port: Int) -> URLRequest {
        guard let number = UInt16(exactly: port), number > 0 else {
            return URLRequest(refused: .invalidPort("\(port)"))
        }
        let isBareAddress =
            host.utf8.contains(UInt8(ascii: ":")) && TransportAddress(literal: host, port: number) != nil
        let request = try? URLRequest(string: "http://\(isBareAddress ? "[\(host)]" : host):\(port)/")
        // Text beyond a host would make another URL.
        guard let request, let origin = try? request.destination.get().origin,
            origin == HTTPOrigin(scheme: .http, host: host, port: number)
        else { return URLRequest(refused: .invalidHost(host)) }
        return request
    }
}
