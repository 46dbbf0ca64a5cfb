// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

extension Session {
    /// Sends `request`, checks that the response is a success, and decodes its body, at most `maximumCollectedBodySize`
    /// bytes of it, from JSON. Says with `Accept: application/json` what it wants, unless the request has that field.
    ///
    /// Throws as `data(for:delegate:)` does; ``SessionError/ResponseFailure/unsuccessful(_:content:)`` for a status that is not
    /// a success (2xx), and ``SessionError/ResponseFailure/undecodable(_:content:_:)`` for a body that is not such a value,
    /// which an empty one, as a 204 has it, never is. `delegate` is as for `data(for:delegate:)`.
    public func decoded<Value: Decodable>(
        _ type: Value.Type = Value.self, for request: URLRequest, decoder: JSONDecoder = JSONDecoder(),
        delegate: (any SessionTaskDelegate)? = nil
    ) async throws(SessionError) -> Value {
        var request = request
        if request.value(forHTTPHeaderField: "Accept") == nil {
            request.setValue("application/json", forHTTPHeaderField: "Accept")
        }
        let (content, response) = try await data(for: request, delegate: delegate)
        try response.requireSuccess(content)
        do {
            return try content.decoded(decoder: decoder)
        } catch {
            throw response.failure(.undecodable(response, content: content.beginning, error))
        }
    }

    /// The same for a GET request for `url`.
    public func decoded<Value: Decodable>(
        _ type: Value.Type = Value.self, from url: URL, decoder: JSONDecoder = JSONDecoder(),
        delegate: (any SessionTaskDelegate)? = nil
    ) async throws(SessionError) -> Value {
        try await decoded(type, for: getRequest(for: url), decoder: decoder, delegate: delegate)
    }
}

extension HTTPURLResponse {
    /// Checks that the status is a success (2xx, RFC 9110 §15.3). A redirect that was not followed is none.
    ///
    /// - Parameter content: the body, whose beginning the error keeps: it often says why.
    /// - Throws: ``SessionError/ResponseFailure/unsuccessful(_:content:)``
    public func requireSuccess(_ content: Data = Data()) throws(SessionError) {
        if (200..<300).contains(statusCode) { return }
        throw failure(.unsuccessful(self, content: content.beginning))
    }

    fileprivate func failure(_ reason: SessionError.ResponseFailure) -> SessionError {
        let origin = url.flatMap { try? URLRequest(url: $0).destination.get().origin }
        return SessionError(.response(reason), phase: .body, origin: origin, wasSent: true)
    }
}

extension Data {
    /// The value that this has in JSON.
    ///
    /// - Throws: the decoder's error, a `DecodingError`.
    public func decoded<Value: Decodable>(
        as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        try decoder.decode(type, from: self)
    }

    /// A copy, which does not keep the rest in memory.
    fileprivate var beginning: Data { Data(prefix(SessionError.ResponseFailure.maximumContentLength)) }
}
