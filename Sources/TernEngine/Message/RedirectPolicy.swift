// SPDX-License-Identifier: Apache-2.0

/// What becomes of a response that sends the client elsewhere (RFC 9110 §15.4): 301, 302, 303, 307 or 308 with a
/// Location.
public enum RedirectPolicy: Sendable, Hashable {
    /// The Location is asked instead, up to `limit` times for one task; one more redirect ends it with
    /// ``RedirectError/tooMany(limit:)``. From https to http only if `allowsDowngrade`. Credentials never go along to
    /// another origin, and do not come back when the way does.
    case follow(limit: Int = 20, allowsDowngrade: Bool = false)
    /// The response is delivered like any other.
    case doNotFollow

    /// The maximum length of a Location field, in bytes of UTF-8. A longer one ends the task with
    /// ``RedirectError/locationTooLong(limit:)``. Resolved and percent-encoded it may make a URL of four times that
    /// length.
    public static let maximumLocationLength = 8 * 1024
    /// The number of hops that a task remembers, the last ones: in ``HTTPURLResponse/history``, in
    /// ``TaskMetrics/hops``, and to notice that redirects go round in circles. What lies further back is forgotten, so
    /// that a chain without a limit needs no more memory with every redirect.
    public static let maximumRememberedHops = 64
}
