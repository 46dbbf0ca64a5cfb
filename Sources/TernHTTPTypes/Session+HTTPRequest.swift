// SPDX-License-Identifier: Apache-2.0
#if HTTPTypes
    public import FoundationEssentials
    public import HTTPTypes
    public import TernEngine

    extension Session {
        /// Sends `request` and collects the body of the response, as `data(for:)` does with a `URLRequest`. A response with any
        /// status code is a success.
        ///
        /// - Parameters:
        ///   - request: the request.
        ///   - body: its body; nil for none.
        ///   - delegate: is told and asked all but what concerns the content; nil for the session's delegate.
        /// - Throws: `HTTPTypesError` for a request or a response without a counterpart, or a `SessionError`.
        public func data(
            for request: HTTPRequest, body: RequestBody? = nil, delegate: (any SessionTaskDelegate)? = nil
        ) async throws -> (Data, HTTPResponse) {
            let (data, response) = try await data(for: URLRequest(request, body: body), delegate: delegate)
            return (data, try HTTPResponse(response))
        }
    }
#endif
