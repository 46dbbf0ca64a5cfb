// SPDX-License-Identifier: Apache-2.0

/// What becomes of a response that sends the client elsewhere (RFC 9110 §15.4): 301, 302, 303, 307 or 308 with a Location.
public enum RedirectPolicy: Sendable, Hashable {
    /// The Location is asked instead, up to `limit` times for one task; one more redirect ends it with
    /// ``RedirectError/tooMany(limit:)``. From https to http only if `allowsDowngrade`. Credentials never go along to another
    /// origin, and do not come back when the way does.
    case follow(limit: Int = 20, allowsDowngrade: Bool = false)
    /// The response is delivered like any other.
    case doNotFollow
}
