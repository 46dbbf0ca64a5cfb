// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Synchronization
import TernHTTP1

/// A credential that answered a challenge of one origin, with the strongest scheme that both know.
final class PasswordLogin: AttemptSigner {
    /// The maximum size of content that is hashed for `auth-int`: this runs on a reactor.
    private static let maximumHashedContent = 1 << 20

    private enum Scheme {
        case basic
        case digest(DigestScheme)
    }

    let credential: PasswordCredential
    let origin: HTTPOrigin
    private let challenge: HTTPChallenge
    private let scheme: Scheme
    /// How often the server's nonce has been used.
    private let useCount = Atomic<UInt32>(0)

    /// Nil if none of the challenges is answered by a password.
    convenience init?(_ credential: PasswordCredential, for request: URLRequest, answering challenges: [HTTPChallenge])
    {
        guard let origin = try? request.destination.get().origin,
            let challenge = HTTPChallenge.preferred(among: challenges, for: credential.schemes)
        else { return nil }
        self.init(credential, origin, challenge)
    }

    private init?(_ credential: PasswordCredential, _ origin: HTTPOrigin, _ challenge: HTTPChallenge) {
        if credential.schemes.contains(.digest), let digest = DigestScheme(challenge) {
            scheme = .digest(digest)
        } else if credential.schemes.contains(.basic), challenge.scheme == "basic" {
            scheme = .basic
        } else {
            return nil
        }
        (self.credential, self.origin, self.challenge) = (credential, origin, challenge)
    }

    /// The space of the challenge.
    var space: ProtectionSpace { ProtectionSpace(origin, challenge) }

    /// The answer to the same challenge with another credential; nil if that is for other schemes. A nonce counts from 1
    /// again, which costs a challenge at most.
    func with(_ credential: PasswordCredential) -> PasswordLogin? { PasswordLogin(credential, origin, challenge) }

    /// The answer to the nonce that `Authentication-Info` fields name for the next request (RFC 7616 §3.5); nil without one.
    func following(_ fields: [[UInt8]]) -> PasswordLogin? {
        guard case .digest = scheme, let field = fields.first,
            let info = HTTPChallenge.challenges(in: [Array("Digest ".utf8) + field]).first,
            let nonce = info.bytes("nextnonce"), !nonce.isEmpty
        else { return nil }
        return PasswordLogin(credential, origin, challenge.replacing("nonce", with: nonce))
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

    /// Adds an `Authorization` field with the next count of the nonce. A request to another origin, or one that the scheme
    /// cannot authenticate, stays as it is.
    func sign(_ request: inout URLRequest) {
        let count = useCount.wrappingAdd(1, ordering: .relaxed).newValue
        guard let value = authorization(for: request, count: count) else { return }
        request.headers.replace(with: HeaderField(name: "Authorization", bytes: value))
    }

    /// Whether the scheme can authenticate the request.
    func canSign(_ request: URLRequest) -> Bool { authorization(for: request, count: 1) != nil }

    private func authorization(for request: URLRequest, count: UInt32) -> [UInt8]? {
        guard let destination = try? request.destination.get(), destination.origin == origin else { return nil }
        switch scheme {
        case .basic: return BasicScheme.authorization(credential).map { Array($0.utf8) }
        case .digest(let digest):
            return digest.authorization(
                credential,
                for: DigestScheme.Request(
                    method: request.method, target: destination.target.text,
                    content: Self.content(of: request)),
                clientNonce: DigestScheme.makeClientNonce(), count: count)
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
