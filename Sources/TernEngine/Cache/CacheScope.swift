// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernTLS

/// What besides URL and fields decides whether a stored response may answer a request: its credentials, and what
/// ``RouteRule`` says about its route: trust policy, identity, proxies, socket, egress policy. Digests, so that a store on
/// a disk holds no secret.
struct CacheScope: Sendable, Hashable {
    /// Of a request without credentials, and of a server without a policy of its own.
    static let plain = "0"
    /// Of a response that the program has stored itself.
    private static let any = "any"

    private let credentials: String
    private let trust: String

    /// - Parameters:
    ///   - request: with its fields, as it is sent.
    ///   - identity: that of a credential which the request gets later; nil without.
    ///   - login: authenticates the request as it is sent; nil for what the request has itself.
    ///   - route: what of the route distinguishes responses, in parts.
    init(
        of request: URLRequest, mayCarryCredentials: Bool, _ sensitive: SensitiveFields, identity: String? = nil,
        login: PasswordLogin? = nil, route: [[UInt8]] = []
    ) {
        trust = route.isEmpty ? Self.plain : Self.digest(of: route)
        credentials = Self.credentials(of: request, mayCarryCredentials, sensitive, identity, login)
    }

    /// Of a request that the program stores a response for.
    init(storing request: URLRequest) {
        trust = Self.any
        credentials = Self.credentials(of: request, true, SensitiveFields(), nil, nil)
    }

    var text: String { "\(credentials).\(trust)" }

    /// Whether a response with this scope, as text, may answer.
    func includes(_ text: String, underAnyTrustPolicy: Bool) -> Bool {
        let (bytes, own) = (text.utf8.span, credentials.utf8.span)
        let dot = own.count
        guard bytes.count > dot, bytes.extracting(0..<dot).isEqual(to: own), bytes[dot] == UInt8(ascii: ".") else {
            return false
        }
        let other = bytes.extracting((dot &+ 1)..<bytes.count)
        return underAnyTrustPolicy || other.isEqual(to: trust.utf8.span) || other.isEqual(to: Self.any.utf8.span)
    }

    /// The `Authorization` of Digest differs from request to request: name and realm stand for it. A credential that the
    /// request carries for a challenge counts before it is sent.
    private static func credentials(
        of request: URLRequest, _ mayCarryCredentials: Bool, _ sensitive: SensitiveFields, _ identity: String?,
        _ login: PasswordLogin?
    ) -> String {
        var parts: [[UInt8]] = identity.map { [Array("identity".utf8), Array($0.utf8)] } ?? []
        let credential = mayCarryCredentials ? request.credential ?? request.urlCredential : nil
        if let credential { parts += [Array("credential".utf8), credential.userBytes, credential.passwordBytes] }
        if mayCarryCredentials, let identity = request.signer?.credentialIdentity {
            parts += [Array("signer".utf8), Array(identity.utf8)]
        }
        if credential == nil, let login { parts += [Array("authorization".utf8)] + login.identity }
        let fields = request.headers
        for index in fields.indices where isSensitive(fields.name(at: index), request, sensitive) {
            let field = fields[index]
            let name = field.name.lowercased()
            if name == "authorization" {
                if credential == nil, login == nil { parts += [Array(name.utf8)] + Self.identity(field.bytes) }
            } else if !isLeftOut(name) {
                parts += [Array(name.utf8), field.bytes]
            }
        }
        return parts.isEmpty ? plain : digest(of: parts)
    }

    private static func isSensitive(_ name: String, _ request: URLRequest, _ sensitive: SensitiveFields) -> Bool {
        request.isSensitive(fieldNamed: name) || sensitive.isNamed(name)
    }

    /// Cookies are for `Vary` to name, and what is for a proxy reaches no server.
    private static func isLeftOut(_ name: String) -> Bool {
        ["cookie", "set-cookie", "set-cookie2", "proxy-authorization"].contains(name)
    }

    private static func identity(_ authorization: [UInt8]) -> [[UInt8]] {
        guard let challenge = HTTPChallenge.challenges(in: [authorization]).first, challenge.scheme == "digest",
            let user = challenge.bytes("username") ?? challenge.bytes("username*")
        else { return [authorization] }
        return [Array("digest".utf8), user, challenge.bytes("realm") ?? []]
    }

    /// A text of letters and digits that differs for other parts.
    static func digest(of parts: [[UInt8]]) -> String {
        var digest = MessageDigest(.sha256)
        for part in parts {
            let length = "\(part.count):"
            unsafe Array(length.utf8).withUnsafeBytes { unsafe digest.update($0) }
            unsafe part.withUnsafeBytes { unsafe digest.update($0) }
        }
        // A digest that cannot be computed is equal to no other.
        let bytes = digest.finish() ?? (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        return bytes.prefix(16).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

extension Span<UInt8> {
    fileprivate func isEqual(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }
}
