// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// A name and a password for a server that requests them, with any of the schemes that Tern supports: Digest (RFC 7616)
/// and Basic (RFC 7617).
///
/// Both are bytes: a text is sent as UTF-8, and a credential for a server with another encoding is made of its bytes.
public struct PasswordCredential: Sendable, Hashable {
    package let userBytes: [UInt8]
    package let passwordBytes: [UInt8]

    /// The name of the user as text: UTF-8 where the bytes are UTF-8, else ISO-8859-1.
    public var user: String { FieldValue(userBytes).text }
    /// The password as text: UTF-8 where the bytes are UTF-8, else ISO-8859-1.
    public var password: String { FieldValue(passwordBytes).text }

    /// The schemes that may send them; all by default.
    public let schemes: Schemes

    /// Schemes that prove that the sender knows a password.
    public struct Schemes: OptionSet, Sendable, Hashable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Sends the password itself (RFC 7617).
        public static let basic = Schemes(rawValue: 1)
        /// Sends a hash of the password and a value of the server (RFC 7616).
        public static let digest = Schemes(rawValue: 2)
        /// All of them.
        public static let all: Schemes = [.basic, .digest]
    }

    /// Creates a credential, which is sent as UTF-8.
    public init(user: String, password: String, schemes: Schemes = .all) {
        self.init(user: Array(user.utf8), password: Array(password.utf8), schemes: schemes)
    }

    /// Creates a credential of the bytes that are sent and hashed, in the encoding that the server expects.
    public init(user: [UInt8], password: [UInt8], schemes: Schemes = .all) {
        userBytes = user
        passwordBytes = password
        self.schemes = schemes
    }

    /// Reads `NAME:PASSWORD` as in the part of a URL before its host (RFC 3986 §3.2.1): the one reader of such text, in
    /// URLs of requests and of proxies and in options. The first colon ends the name; both parts are percent-decoded, and
    /// a percent sign that begins no escape stands for itself.
    package init(userinfo text: [UInt8], schemes: Schemes = .all) {
        let colon = text.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
        self.init(
            user: PercentEncoding.leniently(text[..<colon]),
            password: PercentEncoding.leniently(text[colon...].dropFirst()), schemes: schemes)
    }
}

extension PasswordCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Without the password.
    public var description: String { "user \(user)" }

    /// Without the password.
    public var debugDescription: String { description }

    /// A dump shows the same.
    public var customMirror: Mirror { Mirror(self, children: ["credential": description]) }
}
