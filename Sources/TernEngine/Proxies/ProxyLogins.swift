// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernLock

/// What the proxies of a session have accepted, so that later requests bring it without being asked. A credential is
/// used for the proxy that has it, and for no other: only a 407 asks for it. Any thread.
final class ProxyLogins: Sendable {
    /// The maximum number of proxies that are remembered.
    private static let maximumCount = 1024

    private let logins = Lock<[Proxy: PasswordLogin]>([:])
    private let nonces = NonceCounts()

    /// Authenticates requests to the proxy; nil without a credential, and before the proxy has asked for one that may be
    /// sent in more than one way.
    func login(to proxy: Proxy) -> PasswordLogin? {
        guard let credential = proxy.credential else { return nil }
        if let login = logins.withLock({ $0[proxy] }) { return login }
        guard credential.schemes == .basic else { return nil }
        return PasswordLogin(credential, proxy.server, HTTPChallenge(scheme: "basic"))
    }

    /// Whether a 407 can be answered: by a credential that was not refused. The next ``login(to:)`` is the answer.
    ///
    /// - Parameters:
    ///   - sent: what the request was authenticated with.
    ///   - isFirst: whether it was remembered from another request: its nonce may be forgotten.
    func answers(_ head: ResponseHead, of proxy: Proxy, after sent: PasswordLogin?, isFirst: Bool) -> Bool {
        let challenges = HTTPChallenge.challenges(in: head.bytes(for: "Proxy-Authenticate"))
        guard let credential = proxy.credential,
            let login = PasswordLogin(credential, proxy.server, answering: challenges, nonces)
        else { return false }
        let isRefused = sent?.isRefused(by: login, isFirst: isFirst) ?? false
        logins.withLock { logins in
            if logins.count >= Self.maximumCount { logins = [:] }
            // After a refusal the next request begins anew.
            logins[proxy] = isRefused ? nil : login
        }
        return !isRefused
    }
}
