// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1

extension HTTPOrigin {
    /// The origin that a request to a URL is sent to; nil for a URL that is none of http or https.
    init?(of url: URL) {
        guard let destination = try? Destination(absoluteString: url.absoluteString) else { return nil }
        self = destination.origin
    }
}

/// The target of a request: the client's reading of an http or https URL (RFC 9110 §4.2).
struct Destination: Sendable, Hashable {
    let origin: HTTPOrigin
    let target: RequestTarget

    init(origin: HTTPOrigin, target: RequestTarget) {
        self.origin = origin
        self.target = target
    }

    /// The target as the origin gets it, also where a proxy gets the whole URL.
    var originForm: RequestTarget {
        if case .absolute(let url) = target, let uri = try? AbsoluteURI(url) { uri.target } else { target }
    }

    /// Whether a proxy gets the whole URL (RFC 9112 §3.2.2), and an origin does not.
    var isForProxy: Bool { if case .absolute = target { true } else { false } }

    /// Reads an absolute URL.
    init(absoluteString: String) throws(InvalidRequest) {
        do throws(AbsoluteURI.Refusal) {
            let uri = try AbsoluteURI(absoluteString)
            (origin, target) = (uri.origin, uri.target)
        } catch {
            switch error {
            case .scheme(let scheme): throw .unsupportedScheme(scheme)
            case .host(let host): throw .invalidHost(host)
            case .port(let port): throw .invalidPort(port)
            case .userinfo: throw .ambiguousUserinfo
            }
        }
    }
}
