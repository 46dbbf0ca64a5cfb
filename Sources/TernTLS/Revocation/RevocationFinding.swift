// SPDX-License-Identifier: Apache-2.0

/// The revocation status of one certificate.
public struct RevocationFinding: Sendable, Hashable {
    /// The status, and how long it is valid.
    public enum Status: Sendable, Hashable {
        /// Not revoked, according to data that is valid until this time (seconds since 1970).
        case good(until: Int64)
        /// Revoked at this time (seconds since 1970), if it is given.
        case revoked(at: Int64?)
        /// A responder that should know the certificate does not.
        case unknown
        /// There is no usable data: no response and no list, or only ones that are outdated, are about other
        /// certificates, or have an invalid signature.
        case undetermined
    }

    /// The source of the status.
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
    /// The certificate.
    public let certificate: X509Certificate
    /// Its status.
    public let status: Status
    /// Nil for `undetermined`.
    public let source: Source?
    /// The questions that may determine the status, in the order the policy prefers.
    public let questions: [RevocationQuestion]
}
