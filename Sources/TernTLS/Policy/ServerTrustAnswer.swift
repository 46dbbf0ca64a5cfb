// SPDX-License-Identifier: Apache-2.0

/// How a delegate answers the verdict of the policies about a server.
public enum ServerTrustAnswer: Sendable, Hashable {
    /// Let the verdict of the policies stand.
    case performDefaultHandling
    /// Accept the server, also if the policies refused it. Such a connection carries one request, and its TLS session
    /// is not kept.
    case accept
    /// Refuse the server, also if the policies accepted it.
    case refuse
}
