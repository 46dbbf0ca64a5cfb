// SPDX-License-Identifier: Apache-2.0

/// Where to go when a response sends the task elsewhere.
public enum RedirectAnswer: Sendable {
    /// Ask this: the request that was proposed, or another.
    case follow(URLRequest)
    /// Nowhere: the redirect is the answer, and its body is delivered.
    case deliver
}
