// SPDX-License-Identifier: Apache-2.0
public import TernEngine

/// Changes requests before they are sent, for example by adding an access token.
@preconcurrency public protocol RequestAdapter: Sendable {
    /// What is to be sent in place of `urlRequest`. Asked once for every task that is made, so again for each retry,
    /// and always about the request as it was given: on the thread that makes the request, or on one of ours when it is
    /// retried.
    ///
    /// - Throws: the error of the response, unless a retrier has the request retried.
    func adapt(_ urlRequest: URLRequest) throws -> URLRequest
}
