// SPDX-License-Identifier: Apache-2.0

/// The answer to a redirect.
public enum RedirectAnswer: Sendable {
    /// Send this request: the proposed one, or another.
    case follow(URLRequest)
    /// Do not follow: the redirect is the answer, and its body is delivered.
    case deliver
}
