// SPDX-License-Identifier: Apache-2.0

/// A credential that authenticates requests and can be replaced by a fresh one, such as an access token with its refresh
/// token. As in Alamofire 5.
public protocol AuthenticationCredential: Sendable {
    /// Whether the credential must be refreshed before it authenticates another request, for example because it expires
    /// within a minute. Called on any thread, for every request.
    var requiresRefresh: Bool { get }
}
