// SPDX-License-Identifier: Apache-2.0

/// A name and a password for a server that requests them, with any of the schemes that Tern supports: Digest (RFC 7616)
/// and Basic (RFC 7617).
public struct PasswordCredential: Sendable, Hashable {
    /// The name of the user.
    public let user: String
    /// The password.
    public let password: String

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

    /// Creates a credential.
    public init(user: String, password: String, schemes: Schemes = .all) {
        self.user = user
        self.password = password
        self.schemes = schemes
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
