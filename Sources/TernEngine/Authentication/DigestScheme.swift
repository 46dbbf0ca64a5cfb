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
    private let realm: [UInt8]
    private let nonce: [UInt8]
    let algorithm: Algorithm
    private let isSession: Bool
    private let protections: [Protection]

    /// Nil for a challenge of another scheme, of an unknown algorithm, or without realm or nonce.
    package init?(_ challenge: HTTPChallenge) {
        guard challenge.scheme == "digest", let realm = challenge.bytes("realm"), let nonce = challenge.bytes("nonce")
        else { return nil }
        var name = (challenge["algorithm"] ?? "MD5").uppercased()
        isSession = name.hasSuffix("-SESS")
        if isSession { name.removeLast(5) }
        guard let algorithm = Algorithm(rawValue: name) else { return nil }
        let offered = challenge["qop"]?.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" } ?? []
        let known = [Protection.request, .content].filter { offered.contains($0.rawValue[...]) }
        // What is unknown is ignored (RFC 7616 §3.3); what names nothing known is no offer, as in curl.
        protections = known.isEmpty ? [.none] : known
        (self.challenge, self.realm, self.nonce, self.algorithm) = (challenge, realm, nonce, algorithm)
    }

    /// Whether the server refused the nonce only: the same credential is answered again.
    var isStale: Bool { challenge["stale"]?.lowercased() == "true" }

    /// Higher is stronger.
    var strength: Int { Algorithm.allCases.firstIndex(of: algorithm) ?? 0 }

    /// The bytes of the value of an `Authorization` field; nil if the request or the credential cannot be expressed, or
    /// a hash cannot be computed.
    ///
    /// - Parameters:
    ///   - credential: the name and the password.
    ///   - request: the request to authenticate.
    ///   - clientNonce: a value that is used once.
    ///   - count: how often the server's nonce has been used, this time included.
    package func authorization(
        _ credential: PasswordCredential, for request: Request, clientNonce: String, count: UInt32 = 1
    ) -> [UInt8]? {
        let clientNonce = Array(clientNonce.utf8)
        guard let protection = protections.first(where: { $0 != .content || request.content != nil }),
            let username = username(credential.userBytes), let quotedRealm = Self.quoted(realm),
            let quotedNonce = Self.quoted(nonce), let target = Self.quoted(Array(request.target.utf8)),
            var secret = hash([credential.userBytes, realm, credential.passwordBytes])
        else { return nil }
        if isSession {
            guard let session = hash([secret, nonce, clientNonce]) else { return nil }
            secret = session
        }
        guard let response = response(secret, request, protection, clientNonce, count) else { return nil }
        var fields = [
            username, Array("realm=".utf8) + quotedRealm, Array("nonce=".utf8) + quotedNonce,
            Array("uri=".utf8) + target, Array("response=\"".utf8) + response + [Self.quote],
        ]
        if let algorithm = challenge.bytes("algorithm") { fields.append(Array("algorithm=".utf8) + algorithm) }
        if let opaque = challenge.bytes("opaque") {
            guard let opaque = Self.quoted(opaque) else { return nil }
            fields.append(Array("opaque=".utf8) + opaque)
        }
        if protection != .none {
            fields.append(Array("qop=\(protection.rawValue), nc=\(Self.hexadecimal(count))".utf8))
            fields.append(Array("cnonce=\"".utf8) + clientNonce + [Self.quote])
        }
        return Array("Digest ".utf8) + Array(fields.joined(separator: Array(", ".utf8)))
    }

    /// RFC 7616 §3.4.4, and §4 for names beyond ASCII.
    private func username(_ user: [UInt8]) -> [UInt8]? {
        guard let quoted = Self.quoted(user) else { return nil }
        if challenge["userhash"]?.lowercased() == "true" {
            return hash([user, realm]).map { Array("username=\"".utf8) + $0 + Array("\", userhash=true".utf8) }
        }
        let isText = challenge["charset"] != nil && String(validating: user, as: UTF8.self) != nil
        if !isText || user.allSatisfy({ $0 < 0x80 }) { return Array("username=".utf8) + quoted }
        return Array("username*=UTF-8''\(PercentEncoding.component(user))".utf8)
    }

    /// RFC 7616 §3.4.1.
    private func response(
        _ secret: [UInt8], _ request: Request, _ protection: Protection, _ clientNonce: [UInt8], _ count: UInt32
    ) -> [UInt8]? {
        var subject = [Array(request.method.utf8), Array(request.target.utf8)]
        if protection == .content {
            guard let content = request.content.flatMap({ hash([$0]) }) else { return nil }
            subject.append(content)
        }
        guard let subject = hash(subject) else { return nil }
        if protection == .none { return hash([secret, nonce, subject]) }
        return hash(
            [
                secret, nonce, Array(Self.hexadecimal(count).utf8), clientNonce, Array(protection.rawValue.utf8),
                subject,
            ])
    }

    /// The hash of these values, with colons between them, in hexadecimal digits.
    private func hash(_ values: [[UInt8]]) -> [UInt8]? {
        let kind: MessageDigest.Algorithm =
            switch algorithm {
            case .md5: .md5
            case .sha256: .sha256
            case .sha512Truncated: .sha512Truncated
            }
        var digest = MessageDigest(kind)
        for (index, value) in values.enumerated() {
            let bytes = index > 0 ? [UInt8(ascii: ":")] + value : value
            unsafe bytes.withUnsafeBytes { unsafe digest.update($0) }
        }
        return digest.finish().map { $0.flatMap { Array(Self.hexadecimal($0).utf8) } }
    }

    /// A client nonce that no other answer has.
    static func makeClientNonce() -> String {
        (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined()
    }

    private static func hexadecimal(_ number: some FixedWidthInteger) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: max(0, number.bitWidth / 4 - digits.count)) + digits
    }

    private static let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))

    /// A quoted string (RFC 9110 §5.6.4); nil with control characters, which it cannot have.
    private static func quoted(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return nil }
        return [quote] + bytes.flatMap { $0 == quote || $0 == backslash ? [backslash, $0] : [$0] } + [quote]
    }
}

extension HTTPChallenge {
    /// The challenge that a password answers most safely: Digest with the strongest algorithm, then Basic; else the
    /// first.
    package static func preferred(
        among challenges: [HTTPChallenge], for schemes: PasswordCredential.Schemes = .all
    ) -> HTTPChallenge? {
        answerable(among: challenges, for: schemes).first ?? challenges.first
    }

    /// The challenges that a password answers, safest first.
    static func answerable(
        among challenges: [HTTPChallenge], for schemes: PasswordCredential.Schemes = .all
    ) -> [HTTPChallenge] {
        let digests = challenges.compactMap { challenge in DigestScheme(challenge).map { (challenge, $0.strength) } }
        // The sort is stable.
        let sorted = schemes.contains(.digest) ? digests.sorted { $0.1 > $1.1 }.map(\.0) : []
        return sorted + (schemes.contains(.basic) ? challenges.filter { $0.scheme == "basic" } : [])
    }
}
