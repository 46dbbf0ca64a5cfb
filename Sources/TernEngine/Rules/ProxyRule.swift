// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// What an attempt sends along its route, and whether the 407 of a proxy is answered by another attempt (RFC 9110 §11.7).
///
/// Credentials of proxies and of origins never meet. `Proxy-Authorization` is sent to a proxy that gets whole requests; the
/// encoder leaves it out of all others. A 407 that comes from an origin is the answer.
final class ProxyRule: Sendable {
    /// The maximum number of challenges that are answered for one hop.
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

    /// A hop in the form that a route needs. An object, so that an attempt without one stays small.
    final class Form: Sendable {
        let hop: Hop
        /// The proxy that gets the hop whole.
        let proxy: Proxy
        /// What authenticates the hop to it, from what it has accepted or requested.
        let login: HeaderField?
        /// Whether it has no content, which the next attempt sends.
        let isProbe: Bool

        init(hop: Hop, proxy: Proxy, login: HeaderField? = nil, isProbe: Bool = false) {
            (self.hop, self.proxy, self.login, self.isProbe) = (hop, proxy, login, isProbe)
        }
    }

    /// Nil if the hop is sent as it is: no proxy gets it whole.
    ///
    /// Content that can be read once would be lost with a 407. So for a credential that may be sent by Digest only, the hop
    /// goes without it first, as in curl.
    ///
    /// - Parameter isFirst: whether the proxy has not answered an attempt of the hop.
    func form(of hop: Hop, along route: Route, isFirst: Bool = true) -> Form? {
        guard route.isToProxy, let proxy = route.proxies.last else { return nil }
        var hop = hop
        hop.request = hop.request.inAbsoluteForm()
        if hop.request.headers.contains(HopFields.ofProxies) { return Form(hop: hop, proxy: proxy) }
        if let sessionField {
            hop.request.headers.append(sessionField)
            return Form(hop: hop, proxy: proxy)
        }
        guard let target = try? hop.request.destination.get().target,
            let login = logins.authorization(for: proxy, method: hop.request.method, target: target.text)
        else {
            guard isFirst, proxy.credential?.schemes == .digest, let body = hop.request.body,
                body.announcedLength != 0, probesAll || !body.isReplayable
            else { return Form(hop: hop, proxy: proxy) }
            hop.request.removeContent()
            return Form(hop: hop, proxy: proxy, isProbe: true)
        }
        hop.request.headers.append(login)
        return Form(hop: hop, proxy: proxy, login: login)
    }

    /// Whether the head is a challenge of the form's proxy that the next attempt answers.
    ///
    /// - Parameter count: how many challenges were answered for the hop.
    func answers(_ head: ResponseHead, to form: Form, after count: Int) -> Bool {
        // A proxy that requests no credential gets the content.
        if form.isProbe, head.status < 300 { return true }
        guard head.status == 407, count < Self.maximumAnswerCount, form.hop.request.isReplayable else { return false }
        return logins.answers(head, of: form.proxy, after: form.login, isFirst: count == 0)
    }
}
