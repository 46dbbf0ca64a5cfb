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
    let interests: HopInterests

    /// - Parameter fields: those that the session adds to requests. Only what says how a hop goes through a proxy is read.
    init(
        _ settings: ProxySettings?, _ logins: ProxyLogins, _ egressPolicy: EgressPolicy?,
        sessionFields fields: HeaderFields
    ) {
        (self.settings, self.logins, self.egressPolicy) = (settings, logins, egressPolicy)
        let readsFields = fields.contains("Proxy-Authorization") || fields.contains("Upgrade")
        interests = [readsFields ? .preparation : .addition, .unsuccessfulHeads]
    }

    /// A connection to a proxy serves all origins: so they are judged here, and not when it is opened.
    private func violation(of origin: HTTPOrigin, _ own: EgressPolicy?) -> EgressViolation? {
        let guardian = EgressGuard(
            session: egressPolicy, request: own, origin: origin, endpoint: nil, isForwarded: true)
        do throws(EgressViolation) { try guardian?.checkUnresolved() } catch { return error }
        return nil
    }

    private func route(of request: URLRequest, to origin: HTTPOrigin) -> ProxyRoute? {
        if request.unixSocket != nil, request.dialer == nil { return nil }
        switch request.proxy {
        case .ofSession: return settings?.route(to: origin, request.url?.withoutUserInformation)
        case .direct: return nil
        case .through(let proxy): return ProxyRoute(proxy)
        }
    }

    func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation {
        if history[Memory.self].proxy != nil { history[Memory.self].proxy = nil }
        var request = hop.request
        let hasOwnField = !request.headers.isEmpty && request.headers.contains("Proxy-Authorization")
        guard let origin = try? request.destination.get().origin, let route = route(of: request, to: origin) else {
            guard hasOwnField else { return .ready }
            request.headers.removeAll(named: "Proxy-Authorization")
            return .change(request)
        }
        if let violation = violation(of: origin, request.egressPolicy) {
            return .fail(.connecting(.egressRefused(violation)))
        }
        // What follows a switch of protocols is for the origin alone.
        let isTunnelled = !request.headers.isEmpty && request.headers.contains("Upgrade")
        let settings = route.settings(with: request.routeSettings, isTunnelled: isTunnelled)
        if Route(to: origin, settings).isTunnelled {
            guard hasOwnField else { return .route(settings) }
            request.headers.removeAll(named: "Proxy-Authorization")
            return .change(request.sent(along: settings))
        }
        let proxy = route.proxy
        request = request.sent(along: settings).inAbsoluteForm()
        var memory = history[Memory.self]
        (memory.proxy, memory.authorization) = (proxy, nil)
        if !hasOwnField, let target = try? request.destination.get().target,
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
