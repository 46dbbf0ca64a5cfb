// SPDX-License-Identifier: Apache-2.0
public import TernHTTP1

/// Why a redirect was not followed. Nothing was sent to its target; its body is not read, and its connection closed.
public enum RedirectError: Error, Sendable, Hashable {
    /// There was one more redirect than ``RedirectPolicy/follow(limit:allowsDowngrade:)`` allows.
    case tooMany(limit: Int)
    /// A permanent redirect (301, 308) without a cookie answered the same request, with the same fields, for the second
    /// time within ``RedirectPolicy/maximumRememberedHops`` redirects: a loop. Other redirects may answer differently
    /// the next time, and are followed up to the limit.
    case loop(HTTPOrigin)
    /// The response has several different Location fields, so the target is ambiguous.
    case ambiguousLocation
    /// The Location contains a control character, or is not a URI reference (RFC 3986 §4.1) for another reason.
    case malformedLocation
    /// The Location, or the URL it resolves to, is longer than ``RedirectPolicy/maximumLocationLength``.
    case locationTooLong(limit: Int)
    /// The Location's target cannot be requested: its scheme is not `http` or `https`, or its host is invalid.
    case invalidLocation(InvalidRequest)
    /// The redirect leads from https to http, which would expose the request to the network.
    case insecure(HTTPOrigin)
    /// The request must be sent again with its body, and the body can be read only once.
    case bodyNotReplayable
}

extension RedirectError: CustomStringConvertible {
    /// One line for a log, without any part of a URL beyond its origin.
    public var description: String {
        switch self {
        case .tooMany(let limit): "more than \(limit) redirects"
        case .loop(let origin):
            "the redirects go round in circles: \(origin.description.excerpt) was asked the same before"
        case .ambiguousLocation: "the redirect has several Location fields that differ"
        case .malformedLocation: "the redirect's Location is not a URL"
        case .locationTooLong(let limit): "the redirect's Location is longer than \(limit) bytes"
        case .invalidLocation(let error): "the redirect's Location cannot be requested: \(error)"
        case .insecure(let origin): "the redirect leads from https to \(origin.description.excerpt)"
        case .bodyNotReplayable: "the redirect requires the body again, and it can be read only once"
        }
    }
}
