// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

extension SessionDelegate {
    /// Answers a challenge.
    public typealias ChallengeCompletion = @Sendable (ChallengeDisposition, Credential?) -> Void
    /// Answers a redirect; nil delivers the response.
    public typealias RedirectCompletion = @Sendable (URLRequest?) -> Void
    /// Provides a new body stream; nil for none.
    public typealias StreamCompletion = @Sendable (InputStream?) -> Void
    /// Answers whether the body of a response is wanted.
    public typealias ResponseCompletion = @Sendable (ResponseAnswer) -> Void
}
