// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernHTTP1
import TernLock

/// What the proxies of a session have accepted, so that later requests bring it without being asked. A credential is
/// used for the proxy that has it, and for no other: only a 407 asks for it. Any thread.
final class ProxyLogins: Sendable {
    private final class Login: Sendable {
        enum Scheme {
            case basic
            case digest(DigestScheme)
        }

        let scheme: Scheme
        /// How often the nonce has been used.
        let useCount = Atomic<UInt32>(0)

        init(_ scheme: Scheme) { self.scheme = scheme }

        /// The field; nil if the scheme cannot express the credential, or the proxy's own words.
        func field(_ credential: PasswordCredential, method: String, target: String, count: UInt32) -> HeaderField? {
            let name = "Proxy-Authorization"
            switch scheme {
            case .basic: return BasicScheme.authorization(credential).map { HeaderField(name: name, value: $0) }
            case .digest(let digest):
                let value = digest.authorization(
                    credential, for: DigestScheme.Request(method: method, target: target, content: []),
                    clientNonce: DigestScheme.makeClientNonce(), count: count)
                return value.map { HeaderField(name: name, bytes: $0) }
            }
        }
    }

    /// The maximum number of proxies that are remembered.
    private static let maximumCount = 1024

    private let logins = Lock<[Proxy: Login]>([:])

    /// The field that authenticates a request to the proxy; nil without a credential, and before the proxy has asked for
    /// one that may be sent in more than one way.
    func authorization(for proxy: Proxy, method: String, target: String) -> HeaderField? {
        guard let credential = proxy.credential else { return nil }
        let accepted = logins.withLock { $0[proxy] } ?? (credential.schemes == .basic ? Login(.basic) : nil)
        guard let login = accepted else { return nil }
        let count = login.useCount.wrappingAdd(1, ordering: .relaxed).newValue
        return login.field(credential, method: method, target: target, count: count)
    }

    /// Whether a 407 can be answered: by a credential that was not refused. The next `authorization` is the answer.
    ///
    /// - Parameters:
    ///   - sent: the field that the request had.
    ///   - isFirst: whether it was remembered from another request: its nonce may be forgotten.
    func answers(_ head: ResponseHead, of proxy: Proxy, after sent: HeaderField?, isFirst: Bool) -> Bool {
        guard let credential = proxy.credential else { return false }
        let challenges = HTTPChallenge.challenges(in: head.bytes(for: "Proxy-Authenticate"))
        // A challenge without an answer is none: the request would only be repeated as it was.
        let login = HTTPChallenge.answerable(among: challenges, for: credential.schemes).lazy
            .map { Login(DigestScheme($0).map { .digest($0) } ?? .basic) }
            .first { $0.field(credential, method: "CONNECT", target: "", count: 1) != nil }
        guard let login else { return false }
        switch login.scheme {
        case .digest(let digest):
            // The same credential again, unless only its nonce was too old.
            let isRefused = sent?.value.hasPrefix("Digest ") == true && !isFirst && !digest.isStale
            if isRefused { return forget(proxy) }
        case .basic: if sent?.value.hasPrefix("Basic ") == true { return forget(proxy) }
        }
        logins.withLock { logins in
            if logins.count >= Self.maximumCount { logins = [:] }
            logins[proxy] = login
        }
        return true
    }

    /// The next request begins anew.
    private func forget(_ proxy: Proxy) -> Bool {
        logins.withLock { $0[proxy] = nil }
        return false
    }
}
