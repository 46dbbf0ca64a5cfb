// SPDX-License-Identifier: Apache-2.0

/// A delegate's answer to the verdict of the policies about a server.
public enum ServerTrustAnswer: Sendable, Hashable {
    /// Keep the verdict of the policies.
    case performDefaultHandling
    /// Accept the server even if the policies refused it. Such a connection carries one request, and its TLS session is
    /// not kept.
    case accept
    /// Refuse the server even if the policies accepted it.
    case refuse
}
