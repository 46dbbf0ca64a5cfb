// SPDX-License-Identifier: Apache-2.0

/// The certificates of a server and all other input of an evaluation, so that the same value has the same verdict in a
/// handshake, in a test and before a rollout.
public struct ServerTrust: Sendable {
    /// The certificates as the server sent them, its own first. Nothing in this list is verified.
    public var sentChain: [X509Certificate]
    /// The certificates that chains must end in, unless the policy has its own anchors.
    public var anchors: TrustAnchors
    /// The time of the evaluation, in seconds since 1970-01-01T00:00:00Z.
    public var time: Int64
    /// The rules for chains, where the policy validates them.
    public var profile: TrustProfile
    /// The revocation data, for a policy that checks revocation.
    public var revocation = RevocationData()

    /// Creates a trust for the moment `time`; nil is now.
    public init(
        sentChain: [X509Certificate], anchors: TrustAnchors = .system, time: Int64? = nil,
        profile: TrustProfile = .standard
    ) {
        self.sentChain = sentChain
        self.anchors = anchors
        self.time = time ?? Timestamp.now
        self.profile = profile
    }
}
