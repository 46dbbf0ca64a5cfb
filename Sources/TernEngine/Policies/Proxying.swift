// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1

/// Sends hops through proxies, and answers a 407 of a proxy that gets whole requests (RFC 9110 §11.7). Prepares a hop
/// last: the other policies see the request that the origin gets.
///
/// Credentials of proxies and of origins never meet. `Proxy-Authorization` is sent to the proxy alone: a field of the
/// request's own is not sent into a tunnel, and not without a proxy. A 407 that comes from an origin is the answer.
struct Proxying: HopPolicy {
    /// The maximum number of challenges of proxies that are answered between two redirects.
    static let maximumAnswerCount = 3

    private struct Memory: PolicyMemory {
        /// The proxy that got the hop whole.
        var proxy: Proxy?
        /// What authenticated the hop to it.
        var authorization: HeaderField?
        var answers = CountPerRedirect()
    }

    private let settings: ProxySettings?
    private let logins: ProxyLogins
    private let egressPolicy: EgressPolicy?
    let interests: HopInterests = [.preparation, .unsuccessfulHeads]

    init(_ settings: ProxySettings?, _ logins: ProxyLogins, _ egressPolicy: EgressPolicy?) {
        (self.settings, self.logins, self.egressPolicy) = (settings, logins, egressPolicy)
    }

    /// A connection to a proxy serves all origins: so they are judged here, and not when it is opened.
    private func violation(of origin: HTTPOrigin, _ own: EgressPolicy?) -> EgressViolation? {
        let guardian = EgressGuard(
            session: egressPolicy, request: own, origin: origin, endpoint: nil, isForwarded: true)
        do throws(EgressViolation) { try guardian?.checkUnresolved() } catch { return error }
        return nil
    }

    private func proxy(for request: URLRequest) -> Proxy? {
        if request.unixSocket != nil, request.dialer == nil { return nil }
        switch request.proxy {
        case .ofSession: return request.url.flatMap { settings?.proxy(for: $0.withoutUserInformation) }
        case .direct: return nil
        case .through(let proxy): return proxy
        }
    }

    func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation {
        history[Memory.self].proxy = nil
        var request = hop.request
        guard let proxy = proxy(for: request), let origin = try? request.destination.get().origin else {
            guard request.headers.contains("Proxy-Authorization") else { return .ready }
            request.headers.removeAll(named: "Proxy-Authorization")
            return .change(request)
        }
        if let violation = violation(of: origin, request.egressPolicy) {
            return .fail(.connecting(.egressRefused(violation)))
        }
        // What follows a switch of protocols is for the origin alone.
        let isTunnelled = request.headers.contains("Upgrade")
        request = request.sent(through: proxy.chain, isTunnelled: isTunnelled)
        if Route(to: origin, request.routeSettings).isTunnelled {
            request.headers.removeAll(named: "Proxy-Authorization")
            return .change(request)
        }
        request = request.inAbsoluteForm()
        var memory = history[Memory.self]
        (memory.proxy, memory.authorization) = (proxy, nil)
        if !request.headers.contains("Proxy-Authorization"),
            let target = try? request.destination.get().target,
            let authorization = logins.authorization(for: proxy, method: request.method, target: target.text)
        {
            memory.authorization = authorization
            request.headers.append(authorization)
        }
        history[Memory.self] = memory
        return .change(request)
    }

    func decide(on head: ResponseHead, _ history: inout TaskHistory) -> HopDecision {
        guard head.status == 407 else { return .pass }
        var memory = history[Memory.self]
        let count = memory.answers.value(history)
        guard let proxy = memory.proxy, count < Self.maximumAnswerCount,
            logins.answers(head, of: proxy, after: memory.authorization, isFirst: count == 0)
        else { return .pass }
        memory.answers.increment(history)
        history[Memory.self] = memory
        return .resend(history.request)
    }
}

extension URL {
    fileprivate var withoutUserInformation: URL {
        guard user != nil || password != nil else { return self }
        return URL(string: URLRequest.withoutCredential(absoluteString)) ?? self
    }
}
