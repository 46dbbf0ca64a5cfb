// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1

/// A credential that answers one challenge of an origin or a proxy, with the strongest scheme that both know, and counts
/// the uses of the nonce.
final class PasswordLogin: RequestSigner {
    /// The maximum size of content that is hashed for `auth-int`: this runs on a reactor.
    private static let maximumHashedContent = 1 << 20

    private enum Scheme {
        case basic
        case digest(DigestScheme)
    }

    let credential: PasswordCredential
    /// Of the server, or of the proxy.
    let origin: HTTPOrigin
    private let challenge: HTTPChallenge
    private let scheme: Scheme
    private let nonces: NonceCounts?
    private let useCount: NonceCounts.Count

    /// Nil if none of the challenges is answered by a password.
    convenience init?(
        _ credential: PasswordCredential, for request: URLRequest, answering challenges: [HTTPChallenge],
        _ nonces: NonceCounts? = nil
    ) {
        guard let origin = try? request.destination.get().origin else { return nil }
        self.init(credential, origin, answering: challenges, nonces)
    }

    /// The same. A challenge whose answer cannot be expressed is none: the request would only be repeated as it was.
    convenience init?(
        _ credential: PasswordCredential, _ origin: HTTPOrigin, answering challenges: [HTTPChallenge],
        _ nonces: NonceCounts? = nil
    ) {
        let request = DigestScheme.Request(method: "GET", target: "/")
        let challenge = HTTPChallenge.answerable(among: challenges, for: credential.schemes).first {
            PasswordLogin(credential, origin, $0)?.value(for: request, count: 1) != nil
        }
        guard let challenge else { return nil }
        self.init(credential, origin, challenge, nonces)
    }

    /// Nil if the credential is not for the scheme of the challenge.
    ///
    /// - Parameter nonces: counts the uses of the nonce together with those of other logins.
    init?(
        _ credential: PasswordCredential, _ origin: HTTPOrigin, _ challenge: HTTPChallenge, _ nonces: NonceCounts? = nil
    ) {
        if credential.schemes.contains(.digest), let digest = DigestScheme(challenge) {
            scheme = .digest(digest)
        } else if credential.schemes.contains(.basic), challenge.scheme == "basic" {
            scheme = .basic
        } else {
            return nil
        }
        (self.credential, self.origin, self.challenge, self.nonces) = (credential, origin, challenge, nonces)
        useCount = nonces?.count(of: challenge.bytes("nonce"), from: origin) ?? NonceCounts.Count()
    }

    /// The space of the challenge.
    var space: ProtectionSpace { ProtectionSpace(origin, challenge) }

    /// The answer to the same challenge with another credential; nil if that is for other schemes.
    func with(_ credential: PasswordCredential) -> PasswordLogin? {
        PasswordLogin(credential, origin, challenge, nonces)
    }

    /// The answer to the nonce that `Authentication-Info` fields name for the next request (RFC 7616 §3.5); nil without one.
    func following(_ fields: [[UInt8]]) -> PasswordLogin? {
        guard case .digest = scheme, let field = fields.first,
            let info = HTTPChallenge.challenges(in: [Array("Digest ".utf8) + field]).first,
            let nonce = info.bytes("nextnonce"), !nonce.isEmpty
        else { return nil }
        return PasswordLogin(credential, origin, challenge.replacing("nonce", with: nonce), nonces)
    }

    /// The prefixes of the paths that a Digest challenge is for; nil for Basic.
    var domain: [String]? {
        guard case .digest = scheme else { return nil }
        // As many as a space has; a server that names more is asked again.
        let uris = (challenge["domain"] ?? "").split(separator: " ", maxSplits: 32).prefix(32)
        if uris.isEmpty { return ["/"] }
        return uris.compactMap { uri in
            if uri.hasPrefix("/"), !uri.hasPrefix("//") { return String(uri) }
            guard let destination = try? Destination(absoluteString: String(uri)), destination.origin == origin,
                case .origin(let target) = destination.target
            else { return nil }
            return target
        }
    }

    private var realm: [UInt8]? { challenge.bytes("realm") }

    /// Whether it is for the origin of this request.
    func belongs(to request: URLRequest) -> Bool { (try? request.destination.get().origin) == origin }

    /// Whether a further challenge of the origin does not refuse the credential: because the nonce was too old, or the
    /// request had no credential, as after a redirect.
    func isFollowed(by challenge: PasswordLogin, wasSent: Bool) -> Bool {
        guard origin == challenge.origin, realm == challenge.realm else { return false }
        if !wasSent { return true }
        return if case .digest(let digest) = challenge.scheme { digest.isStale } else { false }
    }

    /// Whether the challenges have one nonce, or none.
    func hasNonce(of other: PasswordLogin) -> Bool { challenge.bytes("nonce") == other.challenge.bytes("nonce") }

    /// Whether requests to other targets need another challenge.
    var isForOneTarget: Bool { if case .digest = scheme { true } else { false } }

    /// What is the same in all its fields, for a cache that keeps the responses of different users apart.
    var identity: [[UInt8]] {
        switch scheme {
        case .basic: [Array(BasicScheme.uncheckedAuthorization(credential).utf8)]
        case .digest: [Array("digest".utf8), credential.userBytes, realm ?? []]
        }
    }

    /// Whether a proxy's further challenge refuses the credential.
    ///
    /// - Parameter isFirst: whether the nonce is one of another request, which the proxy may have forgotten.
    func isRefused(by challenge: PasswordLogin, isFirst: Bool) -> Bool {
        switch (scheme, challenge.scheme) {
        case (.basic, .basic): true
        case (.digest, .digest(let digest)): !isFirst && !digest.isStale
        case (.basic, .digest), (.digest, .basic): false
        }
    }

    /// Adds an `Authorization` field. A request to another origin, or one that the scheme cannot authenticate, stays as it
    /// is.
    func sign(_ request: inout URLRequest) {
        guard let subject = subject(of: request), let field = field("Authorization", for: subject) else { return }
        request.headers.replace(with: field)
    }

    /// Whether the scheme can authenticate the request.
    func canSign(_ request: URLRequest) -> Bool {
        subject(of: request).flatMap { value(for: $0, count: 1) } != nil
    }

    /// A field with the next count of the nonce; nil if there can be none.
    func field(_ name: String, for request: DigestScheme.Request) -> HeaderField? {
        value(for: request, count: useCount.next())
            .map { HeaderField(name: name, bytes: $0) }
    }

    /// The request as far as its field depends on it; nil for another origin.
    private func subject(of request: URLRequest) -> DigestScheme.Request? {
        guard let destination = try? request.destination.get(), destination.origin == origin else { return nil }
        return DigestScheme.Request(
            method: request.method, target: destination.target.text, content: Self.content(of: request))
    }

    private func value(for request: DigestScheme.Request, count: UInt32) -> [UInt8]? {
        switch scheme {
        case .basic: BasicScheme.authorization(credential).map { Array($0.utf8) }
        case .digest(let digest):
            digest.authorization(
                credential, for: request, clientNonce: DigestScheme.makeClientNonce(), count: count)
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

extension RequestTarget {
    /// The target as it is sent.
    var text: String {
        switch self {
        case .origin(let text), .absolute(let text), .authority(let text): text
        case .asterisk: "*"
        }
    }
}

extension URLRequest {
    /// The name and the password in the URL (RFC 3986 §3.2.1), which are sent only if the server requests them; nil for
    /// none.
    package var urlCredential: PasswordCredential? {
        guard let text = url?.absoluteString, text.hasAt else { return nil }
        return URIReference(text).userinfo.map { PasswordCredential(userinfo: Array($0.utf8)) }
    }

    /// The same URL without a name and a password.
    package static func withoutCredential(_ url: String) -> String {
        URIReference(url).replacing(userinfo: nil).description
    }
}

extension String {
    /// Whether there is an "@". Most URLs have none, and need not be split.
    fileprivate var hasAt: Bool {
        let bytes = utf8.span
        for index in bytes.indices where bytes[index] == UInt8(ascii: "@") { return true }
        return false
    }
}
