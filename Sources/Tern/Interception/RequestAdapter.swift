// SPDX-License-Identifier: Apache-2.0
public import TernEngine

/// Changes requests on their way out, such as by adding an access token.
@preconcurrency public protocol RequestAdapter: Sendable {
    /// What is to be sent in place of `urlRequest`. Asked once for every task that is made, so again for each retry,
    /// and always about the request as it was given: on the thread that makes the request, or on one of ours when it is
    /// retried.
    ///
    /// - Throws: why the request cannot be sent; it becomes the error of the response, unless a retrier knows better.
    func adapt(_ urlRequest: URLRequest) throws -> URLRequest
}
