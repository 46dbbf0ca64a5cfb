// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// `CONNECT` (RFC 9110 §9.3.6): one strict parser reads the answer, as it does every other response, and only 2xx opens
/// the tunnel.
final class ConnectHandshake: TunnelHandshake {
    /// The maximum size of the content of a refusal that is kept.
    static let maximumBodySize = 64 * 1024
    private let proxy: Proxy
    private let target: HTTPOrigin
    private let logins: ProxyLogins
    private var exchange: Exchange
    /// Whether no earlier one for the same connection was refused.
    private let isFirst: Bool
    /// Whether a challenge is not answered any more, but is the refusal.
    private let isLast: Bool
    /// Whether the caller's own fields authenticate it: then the proxy's credential is not used.
    private let isAuthenticated: Bool
    private var login: PasswordLogin?
    private(set) var answer: ResponseHead?
    /// Whether the answer opens no tunnel.
    private var isRefused = false
    private var body: [UInt8] = []

    /// - Parameter logins: has what the proxy has accepted before, and answers its challenges.
    init(
        _ proxy: Proxy, to target: HTTPOrigin, _ logins: ProxyLogins, limits: ParsingLimits, isFirst: Bool,
        isLast: Bool = false
    ) {
        (self.proxy, self.target, self.logins, self.isFirst, self.isLast) = (proxy, target, logins, isFirst, isLast)
        isAuthenticated = proxy.connectHeaders.contains(HopFields.ofProxies)
        exchange = Exchange(limits: limits.ofConnect)
    }

    func begin() throws(ProxyError) -> [UInt8] {
        let authority = target.authority
        var fields = HeaderFields([HeaderField(name: "Host", value: authority)])
        for field in proxy.connectHeaders where field.name.lowercased() != "host" { fields.append(field) }
        if !isAuthenticated, let login = logins.login(to: proxy),
            let field = login.field(
                HopFields.ofProxies, for: DigestScheme.Request(method: "CONNECT", target: authority))
        {
            fields.append(field)
            self.login = login
        }
        let head = RequestHead(method: "CONNECT", target: .authority(authority), origin: target, fields: fields)
        var bytes: [UInt8] = []
        do throws(HTTPProtocolError) {
            try exchange.begin(head, body: .none, defaults: DefaultFields([:]), into: &bytes)
        } catch {
            throw .unsendable("the fields of CONNECT: \(error)")
        }
        return bytes
    }

    func receive(_ bytes: [UInt8], from offset: inout Int) throws(ProxyError) -> TunnelStep {
        while true {
            switch try next(bytes, from: &offset) {
            case .informational: continue
            case .head(let head):
                answer = head
                if (200..<300).contains(head.status) { continue }
                if head.status == 407, !isAuthenticated, !isLast,
                    logins.answers(head, of: proxy, after: login, isFirst: isFirst)
                {
                    return .repeated
                }
                isRefused = true
            case .body(let range):
                body += bytes[range].prefix(Self.maximumBodySize - body.count)
                if body.count == Self.maximumBodySize { throw refused() }
            case .end: throw refused()
            case .handedOver: return .open
            case .needMoreBytes: return .wait
            }
        }
    }

    private func next(_ bytes: [UInt8], from offset: inout Int) throws(ProxyError) -> ResponseEvent {
        do throws(HTTPProtocolError) {
            return try exchange.receive(bytes.span, from: &offset)
        } catch {
            // The status is known, and says more.
            if isRefused { throw refused() }
            throw .malformedResponse(error)
        }
    }

    private func refused() -> ProxyError {
        answer.map { .refused(ProxyRefusal(head: $0, body: body)) } ?? .closed
    }

    func brokenOff() -> ProxyError? { isRefused ? refused() : nil }
}

extension Proxy {
    /// - Throws: ``ProxyError/unsendable(_:)`` for a field of ``connectHeaders``.
    package func checkConnectHeaders() throws(ProxyError) {
        var proxy = self
        proxy.credential = nil
        let target = HTTPOrigin(scheme: .https, host: "localhost", port: 443)
        _ = try ConnectHandshake(proxy, to: target, ProxyLogins(), limits: ParsingLimits(), isFirst: true).begin()
    }
}

extension ParsingLimits {
    /// What an answer to CONNECT may have: it says little, and the proxy, or who stands before it, chooses how much work it
    /// is.
    fileprivate var ofConnect: ParsingLimits {
        var limits = self
        limits.maximumFieldSectionSize = min(maximumFieldSectionSize, 64 * 1024)
        limits.maximumInformationalResponseCount = min(maximumInformationalResponseCount, 4)
        return limits
    }
}

extension HTTPOrigin {
    /// Host and port, as CONNECT names them: the port always, an IPv6 address in brackets and without its zone.
    var authority: String {
        certifiedHost.contains(":") ? "[\(certifiedHost)]:\(port)" : "\(certifiedHost):\(port)"
    }
}
