// SPDX-License-Identifier: Apache-2.0
public import TernEngine

/// Changes requests before they are sent, for example by adding an access token.
@preconcurrency public protocol RequestAdapter: Sendable {
    /// Returns the request to send in place of `urlRequest`. Called for every new task, so again for each retry, and
    /// always with the original request: on the thread that creates the request, or on one of Tern's threads for a
    /// retry.
    ///
    /// - Throws: the error of the response, unless a retrier has the request retried.
    func adapt(_ urlRequest: URLRequest) throws -> URLRequest
}
