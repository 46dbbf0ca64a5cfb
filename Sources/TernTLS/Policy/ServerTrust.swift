// SPDX-License-Identifier: Apache-2.0

/// What a server presented, and what it is to be judged by: everything an evaluation needs, so that the same trust
/// evaluates the same inside a handshake, in a test and before a rollout.
public struct ServerTrust: Sendable {
    /// The certificates as the server sent them, its own first. Nothing in this list is verified.
    public var sentChain: [X509Certificate]
    /// What chains have to end in, where the policy does not bring its own anchors.
    public var anchors: TrustAnchors
    /// The moment to evaluate for, in seconds since 1970-01-01T00:00:00Z.
    public var time: Int64
    /// The rules that chains are held to, where the policy validates them.
    public var profile: TrustProfile
    /// What there is to judge revocation by, where the policy asks.
    public var revocation = RevocationData()

    /// What a server presented, judged for the moment `time`; nil is now.
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
