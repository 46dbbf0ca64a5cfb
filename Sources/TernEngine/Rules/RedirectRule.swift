// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1

/// The next hop after a redirect response (RFC 9110 §15.4).
///
/// - Without a Location, or with an empty one, there is no target: the response is delivered, as in browsers and curl.
/// - Credentials stay at the first origin, and are removed once the chain has left it, also if it returns
///   (``RedirectChain``). Origins are compared as parsed: scheme, host and port.
/// - The same applies to a Unix domain socket of the request: it belongs to its own origin.
/// - What policies added to the request as sent belongs to its hop, and is not in the next request.
/// - A server may redirect a client back to an earlier request, also to the same one until it has an answer. It is a
///   loop only if a permanent redirect (301, 308), which would have to stay the same, answers a request for the second
///   time, without a cookie that makes the next request another one.
struct RedirectRule: Sendable {
    let policy: RedirectPolicy
    /// Whether a loop ends the chain before the policy's limit does.
    var endsLoops = true

    /// The action for the response.
    enum Outcome: Sendable {
        /// It is the answer.
        case deliver
        /// Send this request.
        case follow(Redirection)
        /// Its target is not allowed.
        case refuse(RedirectError)
    }

    /// The next hop.
    struct Redirection: Sendable {
        /// The request, without fields that must not be sent.
        var request: URLRequest
        /// The chain with this hop in it. It says whether credentials of the session may be sent.
        var chain: RedirectChain
    }

    /// Whether a response of this status may be a redirect at all.
    static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// - Parameters:
    ///   - status: the status of the final response.
    ///   - locations: the bytes of all its Location fields; evaluated only if the status needs them.
    ///   - setsCookies: whether it sets a cookie that is sent with later requests.
    ///   - sent: the request it answers, as sent.
    ///   - request: the same without what policies added.
    ///   - chain: the redirects before `sent`.
    ///   - requiresTLS: whether an http URL with this host becomes an https URL.
    ///   - isSensitive: whether the caller marked a field of this name as secret.
    func outcome(
        status: Int, locations: @autoclosure () -> [[UInt8]], setsCookies: @autoclosure () -> Bool, sent: URLRequest,
        of request: URLRequest, chain: RedirectChain, requiresTLS: (String) -> Bool = { _ in false },
        isSensitive: (String) -> Bool
    ) -> Outcome {
        guard case .follow(let limit, let allowsDowngrade) = policy, Self.isRedirect(status) else { return .deliver }
        let locations = locations().filter { !$0.isEmpty }
        guard let location = locations.first else { return .deliver }
        do throws(RedirectError) {
            let base = URIReference(sent.url?.absoluteString ?? "")
            let asked = try Self.destination(of: base)
            var chain = chain
            chain.visit(asked.origin)
            if endsLoops, status == 301 || status == 308, !setsCookies(), !chain.record(sent, to: asked) {
                throw .loop(asked.origin)
            }
            guard chain.count < limit else { throw .tooMany(limit: max(0, limit)) }
            // Before they are compared, which costs as much as they are long.
            let maximum = RedirectPolicy.maximumLocationLength
            guard location.count <= maximum else { throw .locationTooLong(limit: maximum) }
            guard locations.allSatisfy({ $0 == location }) else { throw .ambiguousLocation }
            var target = try Self.target(of: location, from: base)
            guard target.length <= max(4 * maximum, base.length) else { throw .locationTooLong(limit: maximum) }
            var next = try Self.destination(of: target).origin
            if next.scheme == .http, requiresTLS(next.host) {
                target = target.secured
                next = try Self.destination(of: target).origin
            }
            guard allowsDowngrade || asked.origin.scheme == .http || next.scheme == .https else {
                throw .insecure(next)
            }
            chain.follow(to: next)
            var request = request
            let userinfo = chain.mayCarryCredentials ? URIReference(request.url?.absoluteString ?? "").userinfo : nil
            request.url = try Self.url(target, userinfo: userinfo)
            if !chain.mayCarryCredentials {
                request.removeFields { $0.staysAtOrigin || isSensitive($0) }
                request.unixSocket = nil
            }
            // It holds for one target (RFC 7616 §3.4).
            if request.headers["Authorization"]?.lowercased().hasPrefix("digest ") == true {
                request.headers["Authorization"] = nil
            }
            request.changeMethod(after: status)
            return .follow(Redirection(request: request, chain: chain))
        } catch {
            return .refuse(error)
        }
    }

    /// Resolves a Location. Without a fragment it inherits the request's (RFC 9110 §10.2.2).
    private static func target(of location: [UInt8], from base: URIReference) throws(RedirectError) -> URIReference {
        guard let reference = URIReference(location: location, base: base.scheme) else { throw .malformedLocation }
        var target = reference.resolved(against: base)
        target.fragment = reference.fragment ?? base.fragment
        return target
    }

    private static func destination(of reference: URIReference) throws(RedirectError) -> Destination {
        do throws(InvalidRequest) {
            return try Destination(absoluteString: reference.description)
        } catch {
            throw .invalidLocation(error)
        }
    }

    /// With the caller's userinfo, which is sent where the caller's credentials are; the userinfo of a Location is
    /// removed.
    private static func url(_ target: URIReference, userinfo: String?) throws(RedirectError) -> URL {
        let text = target.replacing(userinfo: userinfo).description
        guard let url = URL(string: text, encodingInvalidCharacters: false) else { throw .malformedLocation }
        return url
    }
}

extension URLRequest {
    /// Sets the method of the next hop, and drops the content if the method changes. RFC 9110 §15.4.2 and §15.4.3 let a
    /// POST become a GET, as all clients do; §15.4.4 requests another resource, with a GET in place of every method but
    /// HEAD.
    fileprivate mutating func changeMethod(after status: Int) {
        switch status {
        case 301, 302:
            if method != "POST" { return }
            httpMethod = "GET"
        case 303: if method != "HEAD" { httpMethod = "GET" }
        default: return
        }
        httpBody = nil
        removeFields(where: \.isAboutContent)
    }

    fileprivate mutating func removeFields(where isUnwanted: (String) -> Bool) {
        guard headers.contains(where: { isUnwanted($0.name) }) else { return }
        headers = HeaderFields(headers.filter { !isUnwanted($0.name) })
    }
}

extension String {
    /// Fields that identify the caller, or are meant for one server (RFC 9110 §15.4): credentials, cookies, a Host set
    /// explicitly; the Referer, which is the caller's own and may be a secret URL; the Origin, from which the next
    /// server would conclude that the caller wants what the redirecting server wants.
    fileprivate var staysAtOrigin: Bool {
        switch lowercased() {
        case "authorization", "proxy-authorization", "cookie", "cookie2", "host", "origin", "referer": true
        default: false
        }
    }

    /// Fields that describe a body, or how it is sent, and have no meaning without it (RFC 9110 §15.4).
    fileprivate var isAboutContent: Bool {
        let name = lowercased()
        switch name {
        case "transfer-encoding", "trailer", "expect", "digest", "repr-digest", "last-modified": return true
        default: return name.hasPrefix("content-")
        }
    }
}
