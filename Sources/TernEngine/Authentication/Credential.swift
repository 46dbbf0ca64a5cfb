// SPDX-License-Identifier: Apache-2.0
public import TernTLS

/// The answer to a challenge: a name and a password, a certificate of the client, or a trusted server. With the members
/// of Foundation's `URLCredential`.
public struct Credential: Sendable, Hashable {
    /// How long a credential is stored, where the session has a storage (``SessionConfiguration/urlCredentialStorage``)
    /// and a server has accepted it.
    public enum Persistence: UInt, Sendable, Hashable {
        /// Not at all.
        case none
        /// In memory, as long as the storage.
        case forSession
        /// Beyond the process: also in the file of a storage that has one. Otherwise as `forSession`.
        case permanent
        /// The same as `permanent`: there is nothing on Linux that carries credentials to other machines.
        case synchronizable
    }

    private enum Content: Hashable {
        case password(PasswordCredential)
        case identity(ClientIdentity)
        case serverTrust
    }

    private let content: Content
    /// How long it is stored.
    public let persistence: Persistence

    private init(_ content: Content, _ persistence: Persistence) {
        (self.content, self.persistence) = (content, persistence)
    }

    /// Creates a credential of a name and a password, which are sent as UTF-8.
    public init(user: String, password: String, persistence: Persistence) {
        self.init(PasswordCredential(user: user, password: password), persistence: persistence)
    }

    /// Creates a credential of a name and a password in any encoding, for the schemes that it names.
    public init(_ password: PasswordCredential, persistence: Persistence) {
        self.init(.password(password), persistence)
    }

    /// Creates a credential of a certificate of the client with its key.
    ///
    /// - Parameters:
    ///   - identity: the certificates and the key.
    ///   - persistence: how long it is stored; at most as long as the storage, because no key is written to a file.
    public init(identity: ClientIdentity, persistence: Persistence) { self.init(.identity(identity), persistence) }

    /// Creates a credential that accepts the server with this trust.
    public init(trust: ServerTrust) { self.init(.serverTrust, .none) }

    /// The name, as text; that of the certificate's subject for a certificate, and nil for a trusted server.
    public var user: String? {
        switch content {
        case .password(let password): password.user
        case .identity(let identity): identity.description
        case .serverTrust: nil
        }
    }

    /// The password, as text; nil without one.
    public var password: String? { passwordCredential?.password }

    /// Whether there is a password.
    public var hasPassword: Bool { passwordCredential != nil }

    /// The certificate of the client with its key; nil without one.
    public var identity: ClientIdentity? { if case .identity(let identity) = content { identity } else { nil } }

    /// The certificates of the client, its own first; empty without one.
    public var certificates: [X509Certificate] { identity?.certificates ?? [] }

    /// The name and the password as the bytes that are sent; nil without them.
    public var passwordCredential: PasswordCredential? {
        if case .password(let password) = content { password } else { nil }
    }

    /// Whether it accepts a server.
    package var isServerTrust: Bool { content == .serverTrust }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Without the password.
    public var description: String { user.map { "user \($0)" } ?? "server trust" }

    /// Without the password.
    public var debugDescription: String { description }

    /// A dump shows the same.
    public var customMirror: Mirror { Mirror(self, children: ["credential": description]) }
}
