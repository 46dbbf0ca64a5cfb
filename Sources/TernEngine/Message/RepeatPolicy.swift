// SPDX-License-Identifier: Apache-2.0

/// Whether a request may be repeated after a kept-alive connection was lost without a response. It is then unknown
/// whether the server has processed the first one (RFC 9110 §9.2.2).
public enum RepeatPolicy: Sendable, Hashable, CaseIterable {
    /// Repeat methods that RFC 9110 §9.2.2 calls idempotent, and any request with an `Idempotency-Key` field.
    case automatic
    /// Repeat with any method: the server treats a duplicate as one request.
    case always
    /// Send the request once, whatever its method.
    case never
}
