// SPDX-License-Identifier: Apache-2.0
public import TernEngine

/// The user's name and password, or a trusted server: the answer to a ``Challenge``.
public struct Credential: Sendable {
    /// How long a credential is stored. At present none is stored beyond its request.
    public enum Persistence: Sendable, Hashable {
        /// Not at all.
        case none
        /// As long as the session.
        case forSession
        /// Beyond the process.
        case permanent
        /// On other machines too.
        case synchronizable
    }

    /// The name; nil for a trusted server.
    public let user: String?
    /// The password.
    public let password: String?
    /// How long it is stored.
    public let persistence: Persistence

    /// Creates a credential of a name and a password.
    public init(user: String, password: String, persistence: Persistence) {
        self.user = user
        self.password = password
        self.persistence = persistence
        isServerTrust = false
    }

    /// Creates a credential that accepts the server with this trust.
    public init(trust: ServerTrust) {
        isServerTrust = true
        user = nil
        password = nil
        persistence = .none
    }

    /// Whether it accepts a server.
    let isServerTrust: Bool

    /// Whether there is a password.
    public var hasPassword: Bool { password != nil }

    /// The name and the password; nil for a trusted server.
    var forPassword: PasswordCredential? {
        guard let user, let password else { return nil }
        return PasswordCredential(user: user, password: password)
    }

    static func basicAuthorization(_ user: String, _ password: String) -> String {
        BasicScheme.authorization("\(user):\(password)")
    }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Without the password.
    public var description: String { user.map { "user \($0)" } ?? "server trust" }

    /// Without the password.
    public var debugDescription: String { description }

    /// A dump shows the same.
    public var customMirror: Mirror { Mirror(self, children: ["credential": description]) }
}
