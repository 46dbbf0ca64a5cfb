// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1

/// A credential that answered a challenge of one origin, with the strongest scheme that both know.
final class PasswordLogin: Sendable {
    /// The maximum size of content that is hashed for `auth-int`: this runs on a reactor.
    private static let maximumHashedContent = 1 << 20

    private enum Scheme {
        case basic
        case digest(DigestScheme)
    }

    let credential: PasswordCredential
    private let origin: HTTPOrigin
    private let realm: [UInt8]?
    private let scheme: Scheme

    /// Nil if none of the challenges is answered by a password.
    init?(_ credential: PasswordCredential, for request: URLRequest, answering fields: [[UInt8]]) {
        guard let origin = try? request.destination.get().origin else { return nil }
        guard
            let challenge = HTTPChallenge.preferred(
                among: HTTPChallenge.challenges(in: fields), for: credential.schemes)
        else { return nil }
        if credential.schemes.contains(.digest), let digest = DigestScheme(challenge) {
            scheme = .digest(digest)
        } else if credential.schemes.contains(.basic), challenge.scheme == "basic" {
            scheme = .basic
        } else {
            return nil
        }
        realm = challenge.bytes("realm")
        self.credential = credential
        self.origin = origin
    }

    /// Whether it is for the origin of this request.
    func belongs(to request: URLRequest) -> Bool { (try? request.destination.get().origin) == origin }

    /// Whether a further challenge of the origin does not refuse the credential: because the nonce was too old, or the
    /// request had no credential, as after a redirect.
    func isFollowed(by challenge: PasswordLogin, wasSent: Bool) -> Bool {
        guard origin == challenge.origin, realm == challenge.realm else { return false }
        if !wasSent { return true }
        return if case .digest(let digest) = challenge.scheme { digest.isStale } else { false }
    }

    /// An `Authorization` field for the request; nil if there can be none.
    func authorization(for request: URLRequest) -> HeaderField? {
        guard let destination = try? request.destination.get(), destination.origin == origin else { return nil }
        let name = "Authorization"
        switch scheme {
        case .basic: return BasicScheme.authorization(credential).map { HeaderField(name: name, value: $0) }
        case .digest(let digest):
            var random = SystemRandomNumberGenerator()
            let nonce = "\(String(random.next(), radix: 16))\(String(random.next(), radix: 16))"
            let value = digest.authorization(
                credential,
                for: DigestScheme.Request(
                    method: request.method, target: Self.text(of: destination.target),
                    content: Self.content(of: request)),
                clientNonce: nonce)
            return value.map { HeaderField(name: name, bytes: $0) }
        }
    }

    private static func text(of target: RequestTarget) -> String {
        switch target {
        case .origin(let text), .absolute(let text), .authority(let text): text
        case .asterisk: "*"
        }
    }

    private static func content(of request: URLRequest) -> [UInt8]? {
        switch request.body {
        case nil: []
        case .data(let data) where data.count <= maximumHashedContent: Array(data)
        default: nil
        }
    }
}

extension URLRequest {
    /// The name and the password in the URL (RFC 3986 §3.2.1), which are sent only if the server requests them; nil for
    /// none.
    package var urlCredential: PasswordCredential? {
        guard let text = url.flatMap({ URIReference($0.absoluteString).userinfo }) else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        let words = parts.compactMap { PercentEncoding.decoded(Array($0)[...]) }
        guard words.count == parts.count, let user = words.first else { return nil }
        return PasswordCredential(user: user, password: words.count > 1 ? words[1] : [])
    }

    /// The same URL without a name and a password.
    package static func withoutCredential(_ url: String) -> String {
        URIReference(url).replacing(userinfo: nil).description
    }
}
