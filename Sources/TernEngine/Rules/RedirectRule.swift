// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1

/// What a final response that sends the client elsewhere means for the next hop (RFC 9110 §15.4).
///
/// - Without a Location, or with an empty one, there is nowhere to go: the response is delivered, as by browsers and
///   curl.
/// - Credentials stay at the first origin and are gone once the chain has left it, the way back included
///   (``RedirectChain``). Origins are compared as parsed: scheme, host and port.
/// - So it is with a Unix domain socket that was named for the request: only its own origin is to be found there.
/// - A server may send a client back to what it asked before, having learnt something meanwhile. A request that is
///   redirected for the second time with the same fields goes round in circles.
struct RedirectRule: Sendable {
    let policy: RedirectPolicy

    /// What to do with the response.
    enum Outcome: Sendable {
        /// It is the answer.
        case deliver
        /// Ask this instead.
        case follow(Redirection)
        /// It leads where we do not go.
        case refuse(RedirectError)
    }

    /// The next hop.
    struct Redirection: Sendable {
        /// The request, without what must not go along.
        var request: URLRequest
        /// The chain with this hop in it. Says whether credentials that a session adds may go along.
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
    ///   - status: Of the final response.
    ///   - locations: The values of all its Location fields; asked for only if the status makes them matter.
    ///   - sent: The request it answers, as it went.
    ///   - chain: What led to `sent`.
    ///   - isSensitive: Whether the caller marked a field of this name as a secret.
    func outcome(
        status: Int, locations: @autoclosure () -> [String], sent: URLRequest, chain: RedirectChain,
        isSensitive: (String) -> Bool
    ) -> Outcome {
        guard case .follow(let limit, let allowsDowngrade) = policy, Self.isRedirect(status) else { return .deliver }
        let values = Set(locations().filter { !$0.isEmpty })
        guard let location = values.first else { return .deliver }
        do throws(RedirectError) {
            let base = URIReference(sent.url?.absoluteString ?? "")
            let asked = try Self.destination(of: base)
            var chain = chain
            guard chain.record(sent, to: asked) else { throw .loop(asked.origin) }
            guard chain.count < limit else { throw .tooMany(limit: max(0, limit)) }
            guard values.count == 1 else { throw .ambiguousLocation }

            let maximum = RedirectPolicy.maximumLocationLength
            guard location.utf8.count <= maximum else { throw .locationTooLong(limit: maximum) }
            let target = try Self.target(of: location, from: base)
            guard target.length <= max(4 * maximum, base.length) else { throw .locationTooLong(limit: maximum) }
            let next = try Self.destination(of: target).origin
            guard allowsDowngrade || asked.origin.scheme == .http || next.scheme == .https else {
                throw .insecure(next)
            }
            chain.follow(to: next)
            var request = sent
            request.url = try Self.url(target, userinfo: chain.mayCarryCredentials ? base.userinfo : nil)
            if !chain.mayCarryCredentials {
                request.removeFields { $0.staysAtOrigin || isSensitive($0) }
                request.unixSocket = nil
            }

            request.changeMethod(after: status)
            return .follow(Redirection(request: request, chain: chain))
        } catch {
            return .refuse(error)
        }
    }

    /// Where a Location leads. Without a fragment it inherits the request's (RFC 9110 §10.2.2).
    private static func target(of location: String, from base: URIReference) throws(RedirectError) -> URIReference {
        guard let reference = URIReference(location: location) else { throw .malformedLocation }
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

    /// With this userinfo, the caller's, which goes where the caller's credentials go; the userinfo of a Location is
    /// removed.
    private static func url(_ target: URIReference, userinfo: String?) throws(RedirectError) -> URL {
        let text = target.replacing(userinfo: userinfo).description
        guard let url = URL(string: text, encodingInvalidCharacters: false) else { throw .malformedLocation }
        return url
    }
}

extension URLRequest {
    /// Takes the method of the next hop, and drops the content where the method is no longer the one that the content
    /// was for. RFC 9110 §15.4.2 and §15.4.3 let a POST become a GET, as all clients do; §15.4.4 asks for another
    /// resource, with a GET in place of all but HEAD.
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
    /// by hand; the Referer, which is the caller's own and may be a secret URL; the Origin, from which the next server
    /// would conclude that the caller wishes what the redirecting server wishes.
    fileprivate var staysAtOrigin: Bool {
        switch lowercased() {
        case "authorization", "proxy-authorization", "cookie", "cookie2", "host", "origin", "referer": true
        default: false
        }
    }

    /// Fields that describe a body, or how it is sent, and mean nothing without it (RFC 9110 §15.4).
    fileprivate var isAboutContent: Bool {
        let name = lowercased()
        switch name {
        case "transfer-encoding", "trailer", "expect", "digest", "repr-digest", "last-modified": return true
        default: return name.hasPrefix("content-")
        }
    }
}
