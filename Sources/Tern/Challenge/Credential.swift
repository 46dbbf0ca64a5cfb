// SPDX-License-Identifier: Apache-2.0
import Foundation
public import TernEngine

/// The user's name and password, or the server that is trusted: the answer to a ``Challenge``.
public struct Credential: Sendable {
    /// How long a credential is to be remembered. So far none is, beyond the request it was given to.
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

    /// The name; nil for a server that is trusted.
    public let user: String?
    /// What proves it.
    public let password: String?
    /// How long it is to be remembered.
    public let persistence: Persistence

    /// A name and a password.
    public init(user: String, password: String, persistence: Persistence) {
        self.user = user
        self.password = password
        self.persistence = persistence
        isServerTrust = false
    }

    /// That the server which presented this is trusted.
    public init(trust: ServerTrust) {
        isServerTrust = true
        user = nil
        password = nil
        persistence = .none
    }

    /// Whether it is a statement that a server is trusted.
    let isServerTrust: Bool

    /// Whether there is a password.
    public var hasPassword: Bool { password != nil }

    /// The value of an `Authorization` field (RFC 7617 §2).
    var basicAuthorization: String? {
        guard let user, let password else { return nil }
        return Self.basicAuthorization(user, password)
    }

    static func basicAuthorization(_ user: String, _ password: String) -> String {
        "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
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
