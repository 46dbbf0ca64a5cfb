// SPDX-License-Identifier: Apache-2.0
public import TernHTTP1

/// Why a redirect was not followed. Nothing was sent to where it points; its body is not read, and its connection
/// closed.
public enum RedirectError: Error, Sendable, Hashable {
    /// One more redirect than ``RedirectPolicy/follow(limit:allowsDowngrade:)`` allows.
    case tooMany(limit: Int)
    /// The same request was sent before, with the same fields, and was redirected again, within
    /// ``RedirectPolicy/maximumRememberedHops`` redirects.
    case loop(HTTPOrigin)
    /// The response has several Location fields that differ: which one is meant, a client can only guess.
    case ambiguousLocation
    /// The Location has a control character in it, or is no URI reference (RFC 3986 §4.1) for another reason.
    case malformedLocation
    /// The Location, or the URL it resolves to, is longer than ``RedirectPolicy/maximumLocationLength`` admits.
    case locationTooLong(limit: Int)
    /// The Location leads to what cannot be requested: a scheme other than `http` and `https`, a host that is none.
    case invalidLocation(InvalidRequest)
    /// The redirect leads from https to http, which would tell the network what TLS kept from it.
    case insecure(HTTPOrigin)
    /// The request has to be sent again with its body, and the body can be read once only.
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
        case .bodyNotReplayable: "the redirect asks for the body once more, and it can be read once only"
        }
    }
}
