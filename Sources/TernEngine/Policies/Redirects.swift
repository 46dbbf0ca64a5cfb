// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Asks the delegate whether to follow a redirect (RFC 9110 §15.4). ``RedirectRule`` determines its target.
struct Redirects: HopPolicy {
    /// For requests that name no policy.
    let policy: RedirectPolicy
    /// Whether a loop ends before the policy's limit.
    var endsLoops = true
    /// The session's; a request may have its own.
    let sensitiveFields: SensitiveFields
    /// Knows the hosts whose http URLs become https URLs; nil for a session without it.
    var hsts: HSTSStorage?
    /// Says whether a cookie of a response is sent with the next request.
    let cookies: CookieUse

    let interests = HopInterests.unsuccessfulHeads

    func decide(on head: ResponseHead, _ history: inout TaskHistory) -> HopDecision {
        guard RedirectRule.isRedirect(head.status) else { return .pass }
        let request = history.request
        let outcome = RedirectRule(policy: history.redirectPolicy ?? policy, endsLoops: endsLoops).outcome(
            status: head.status, locations: head.bytes(for: "Location"),
            setsCookies: cookies.changesNextRequest(head, after: history.hop.request),
            sent: history.hop.request, of: request, chain: history.chain,
            requiresTLS: { hsts?.requiresTLS(forHost: $0) ?? false },
            isSensitive: { request.isSensitive(fieldNamed: $0) || sensitiveFields.contains($0) })
        return switch outcome {
        case .deliver: .pass
        case .follow(let redirection): .ask(.redirect(redirection))
        case .refuse(let error): .fail(.transfer(.redirect(error)))
        }
    }

    func decide(onRedirectTo request: URLRequest, _ history: inout TaskHistory) -> HopDecision {
        guard case .follow(let limit, _) = history.redirectPolicy ?? policy else { return .pass }
        if history.chain.count >= limit { return .fail(.transfer(.redirect(.tooMany(limit: max(0, limit))))) }
        var chain = history.chain
        chain.visit(history.hop.request)
        chain.follow(request)
        let (asked, sent, isLoggedIn) = (history.request, history.hop.request.headers, history.chain.login != nil)
        var next = request
        // A provider may have made it of the hop: what policies and a login have added to that is not of the next one, and
        // no secret is sent to another origin.
        next.headers = HeaderFields(
            request.headers.filter { field in
                if isLoggedIn, field.name.lowercased() == "authorization" { return false }
                if asked.headers[field.name] == nil, sent.contains(where: { $0 == field }) { return false }
                return chain.mayCarryCredentials
                    || !(request.isSensitive(fieldNamed: field.name) || sensitiveFields.contains(field.name))
            })
        return .ask(.redirect(RedirectRule.Redirection(request: next, chain: chain)))
    }
}
