// SPDX-License-Identifier: Apache-2.0
import TernTLS

/// HTTP Digest authentication (RFC 7616): one challenge, and the answers to it.
package struct DigestScheme: Sendable {
    /// The protection that the answer gives.
    enum Protection: String, Sendable {
        /// RFC 2069, without a client nonce.
        case none = ""
        /// Of the method and the target.
        case request = "auth"
        /// Of the content as well.
        case content = "auth-int"
    }

    /// Weakest first.
    enum Algorithm: String, Sendable, CaseIterable {
        case md5 = "MD5"
        case sha256 = "SHA-256"
        case sha512Truncated = "SHA-512-256"
    }

    /// A request as far as answers depend on it.
    package struct Request {
        let method: String
        /// The request target as sent.
        let target: String
        /// The content; nil if it cannot be hashed at once.
        let content: [UInt8]?

        package init(method: String, target: String, content: [UInt8]? = []) {
            (self.method, self.target, self.content) = (method, target, content)
        }
    }

    private let challenge: HTTPChallenge
    let realm: String
    private let nonce: String
    let algorithm: Algorithm
    private let isSession: Bool
    private let protections: [Protection]

    /// Nil for a challenge of another scheme, of an unknown algorithm or protection, or without realm or nonce.
    package init?(_ challenge: HTTPChallenge) {
        guard challenge.scheme == "digest", let realm = challenge.realm, let nonce = challenge["nonce"] else {
            return nil
        }
        var name = (challenge["algorithm"] ?? "MD5").uppercased()
        isSession = name.hasSuffix("-SESS")
        if isSession { name.removeLast(5) }
        guard let algorithm = Algorithm(rawValue: name) else { return nil }
        let offered = challenge["qop"]?.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init)
        protections =
            offered.map { offered in [.request, .content].filter { offered.contains($0.rawValue) } } ?? [.none]
        if protections.isEmpty { return nil }
        (self.challenge, self.realm, self.nonce, self.algorithm) = (challenge, realm, nonce, algorithm)
    }

    /// Whether the server refused the nonce only: the same credential is answered again.
    var isStale: Bool { challenge["stale"]?.lowercased() == "true" }

    /// Higher is stronger.
    var strength: Int { Algorithm.allCases.firstIndex(of: algorithm) ?? 0 }

    /// The value of an `Authorization` field; nil if the request or the credential cannot be expressed, or a hash cannot
    /// be computed.
    ///
    /// - Parameters:
    ///   - credential: the name and the password.
    ///   - request: the request to authenticate.
    ///   - clientNonce: a value that is used once.
    ///   - count: how often the server's nonce has been used, this time included.
    package func authorization(
        _ credential: PasswordCredential, for request: Request, clientNonce: String, count: UInt32 = 1
    ) -> String? {
        guard let protection = protections.first(where: { $0 != .content || request.content != nil }),
            let user = Self.quoted(credential.user), let quotedRealm = Self.quoted(realm),
            let quotedNonce = Self.quoted(nonce), let target = Self.quoted(request.target),
            var secret = hash("\(credential.user):\(realm):\(credential.password)"),
            let response = { () -> String? in
                if isSession {
                    guard let session = hash("\(secret):\(nonce):\(clientNonce)") else { return nil }
                    secret = session
                }
                return self.response(secret, request, protection, clientNonce, count)
            }()
        else { return nil }
        var fields: [String] = []
        if challenge["userhash"]?.lowercased() == "true" {
            guard let hashed = hash("\(credential.user):\(realm)") else { return nil }
            fields += ["username=\"\(hashed)\"", "userhash=true"]
        } else if credential.user.utf8.allSatisfy({ $0 < 0x80 }) || challenge["charset"] == nil {
            fields.append("username=\(user)")
        } else {
            fields.append("username*=UTF-8''\(PercentEncoding.component(credential.user.utf8))")
        }
        fields += ["realm=\(quotedRealm)", "nonce=\(quotedNonce)", "uri=\(target)", "response=\"\(response)\""]
        if let algorithm = challenge["algorithm"] { fields.append("algorithm=\(algorithm)") }
        if let opaque = challenge["opaque"] {
            guard let opaque = Self.quoted(opaque) else { return nil }
            fields.append("opaque=\(opaque)")
        }
        if protection != .none {
            fields += ["qop=\(protection.rawValue)", "nc=\(Self.hexadecimal(count))", "cnonce=\"\(clientNonce)\""]
        }
        return "Digest " + fields.joined(separator: ", ")
    }

    /// RFC 7616 §3.4.1.
    private func response(
        _ secret: String, _ request: Request, _ protection: Protection, _ clientNonce: String, _ count: UInt32
    ) -> String? {
        var subject = "\(request.method):\(request.target)"
        if protection == .content {
            guard let content = request.content.flatMap({ hash($0) }) else { return nil }
            subject += ":\(content)"
        }
        guard let subject = hash(subject) else { return nil }
        let words =
            protection == .none
            ? [secret, nonce, subject]
            : [secret, nonce, Self.hexadecimal(count), clientNonce, protection.rawValue, subject]
        return hash(words.joined(separator: ":"))
    }

    private func hash(_ text: String) -> String? { hash(Array(text.utf8)) }

    private func hash(_ bytes: [UInt8]) -> String? {
        let kind: MessageDigest.Algorithm =
            switch algorithm {
            case .md5: .md5
            case .sha256: .sha256
            case .sha512Truncated: .sha512Truncated
            }
        var digest = MessageDigest(kind)
        unsafe bytes.withUnsafeBytes { unsafe digest.update($0) }
        return digest.finish().map { $0.map { Self.hexadecimal($0) }.joined() }
    }

    private static func hexadecimal(_ number: some FixedWidthInteger) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: max(0, number.bitWidth / 4 - digits.count)) + digits
    }

    /// A quoted string (RFC 9110 §5.6.4); nil with control characters, which it cannot have.
    private static func quoted(_ text: String) -> String? {
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else { return nil }
        return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}

extension HTTPChallenge {
    /// The challenge that a password answers most safely: Digest with the strongest algorithm, then Basic; else the
    /// first.
    package static func preferred(
        among challenges: [HTTPChallenge], for schemes: PasswordCredential.Schemes = .all
    ) -> HTTPChallenge? {
        let digests = challenges.compactMap { challenge in DigestScheme(challenge).map { (challenge, $0) } }
        if schemes.contains(.digest), let best = digests.max(by: { $0.1.strength < $1.1.strength }) { return best.0 }
        let basic = schemes.contains(.basic) ? challenges.first { $0.scheme == "basic" } : nil
        return basic ?? challenges.first
    }
}
