// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// What an attempt sends to a proxy that gets it whole, and whether its 407 is answered by another attempt (RFC 9110 §11.7).
///
/// Credentials of proxies and of origins never meet. `Proxy-Authorization` is sent to a proxy that gets whole requests; the
/// encoder leaves it out of all others. A 407 that comes from an origin is the answer.
final class ProxyRule: Sendable {
    /// The maximum number of challenges that are answered for one hop, or for a retry of it.
    static let maximumAnswerCount = 3

    let logins: ProxyLogins
    /// The session's `Proxy-Authorization` for requests without one of their own; nil without.
    let sessionField: HeaderField?

    /// Whether content that can be sent again waits for a Digest challenge, too.
    private let probesAll: Bool

    init(_ logins: ProxyLogins, sessionFields fields: HeaderFields, probesAll: Bool = false) {
        (self.logins, self.probesAll) = (logins, probesAll)
        sessionField = fields.first { $0.name.lowercased() == HopFields.ofProxies.lowercased() }
    }

    /// The part of an attempt that is for the proxy.
    struct Part {
        /// The proxy that gets the hop whole.
        let proxy: Proxy
        /// What authenticates the hop to it; nil for what the hop has itself.
        var field: HeaderField?
        /// What has made it, of what the proxy has accepted or requested.
        var login: PasswordLogin?
        /// Whether the attempt has no content, which the next one sends.
        var isProbe = false
    }

    /// Nil if no proxy gets the hop whole.
    ///
    /// Content that can be read once would be lost with a 407. So for a credential that may be sent by Digest only, the hop
    /// goes without it first, as in curl.
    ///
    /// - Parameter isFirst: whether the proxy has not answered an attempt of the hop.
    func part(of hop: Hop, along route: Route, isFirst: Bool) -> Part? {
        guard route.isToProxy, let proxy = route.proxies.last else { return nil }
        let request = hop.request
        if request.headers.contains(HopFields.ofProxies) { return Part(proxy: proxy) }
        if let sessionField { return Part(proxy: proxy, field: sessionField) }
        if let target = try? request.inAbsoluteForm().destination.get().target,
            let login = logins.login(to: proxy),
            let field = login.field(
                HopFields.ofProxies, for: DigestScheme.Request(method: request.method, target: target.text))
        {
            return Part(proxy: proxy, field: field, login: login)
        }
        return Part(proxy: proxy, isProbe: isFirst && probes(request, for: proxy.credential))
    }

    private func probes(_ request: URLRequest, for credential: PasswordCredential?) -> Bool {
        guard credential?.schemes == .digest, let body = request.body else { return false }
        return request.announcedContentLength != 0 && (probesAll || !body.isReplayable)
    }

    /// Whether the head is a challenge of the proxy that the next attempt answers.
    ///
    /// - Parameter count: how many challenges were answered for the hop, or for the retry.
    func answers(_ head: ResponseHead, to form: AttemptForm, after count: Int) -> Bool {
        guard let part = form.proxyPart else { return false }
        // A proxy that requests no credential gets the content.
        if part.isProbe, head.status < 300 { return true }
        guard head.status == 407, count < Self.maximumAnswerCount, form.hop.request.isReplayable else { return false }
        return logins.answers(head, of: part.proxy, after: part.login, isFirst: count == 0)
    }
}
