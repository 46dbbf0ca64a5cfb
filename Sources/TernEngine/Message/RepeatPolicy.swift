// SPDX-License-Identifier: Apache-2.0

/// The caller's word on sending a request once more, after a kept-alive connection was lost without an answer. Whether
/// the server worked on the first one is then unknown (RFC 9110 §9.2.2).
public enum RepeatPolicy: Sendable, Hashable, CaseIterable {
    /// Methods that RFC 9110 §9.2.2 calls idempotent are repeated, and any request with an `Idempotency-Key` field.
    case automatic
    /// The server takes the request twice for once, whatever its method.
    case always
    /// The request is sent once, whatever its method.
    case never
}
