// SPDX-License-Identifier: Apache-2.0

/// What is known about the revocation of one certificate.
public struct RevocationFinding: Sendable, Hashable {
    /// What is known, and for how long.
    public enum Status: Sendable, Hashable {
        /// It was not revoked, and this is known until the given moment (seconds since 1970).
        case good(until: Int64)
        /// It was revoked at the given moment (seconds since 1970), as far as that is told.
        case revoked(at: Int64?)
        /// A responder that should know the certificate does not.
        case unknown
        /// There is nothing usable to judge by: no response and no list, or only ones that are outdated, that are about
        /// other certificates, or whose signature does not hold.
        case undetermined
    }

    /// Where the status comes from.
    public enum Source: String, Sendable, Hashable {
        /// The server's stapled response.
        case staple
        /// A responder.
        case ocsp
        /// A revocation list.
        case crl
    }

    /// The certificate's position in the verified chain; 0 is the leaf.
    public let depth: Int
    /// The certificate it is about.
    public let certificate: X509Certificate
    /// What is known about it.
    public let status: Status
    /// Nil for `undetermined`.
    public let source: Source?
    /// What could be asked to know more, in the order the policy prefers.
    public let questions: [RevocationQuestion]
}
