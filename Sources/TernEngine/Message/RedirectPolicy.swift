// SPDX-License-Identifier: Apache-2.0

/// How a redirect is handled (RFC 9110 §15.4): 301, 302, 303, 307 or 308 with a Location.
public enum RedirectPolicy: Sendable, Hashable {
    /// Follow it, up to `limit` times for one task; one more redirect ends the task with
    /// ``RedirectError/tooMany(limit:)``. From https to http only if `allowsDowngrade`. Credentials are never sent to
    /// another origin, and are not sent again after a return to the first.
    case follow(limit: Int = 20, allowsDowngrade: Bool = false)
    /// Deliver the response like any other.
    case never

    /// The maximum length of a Location field, in bytes of UTF-8. A longer one ends the task with
    /// ``RedirectError/locationTooLong(limit:)``. Resolved and percent-encoded it may make a URL of four times that
    /// length.
    public static let maximumLocationLength = 8 * 1024
    /// The number of hops that a task remembers, the last ones: for ``HTTPURLResponse/history``, for
    /// ``TaskMetrics/hops``, and to detect loops of permanent redirects. Earlier ones are forgotten, so that a chain without a limit has
    /// bounded memory.
    public static let maximumRememberedHops = 64
}
