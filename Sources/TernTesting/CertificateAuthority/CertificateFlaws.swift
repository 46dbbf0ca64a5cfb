// SPDX-License-Identifier: Apache-2.0

/// Flaws that no honest authority makes; none by default. For tests of what clients refuse.
public struct CertificateFlaws: Sendable, Hashable {
    /// The serial number's bytes, most significant first; nil for a random one.
    public var serialNumber: [UInt8]?
    /// The serial number is negative, which RFC 5280 §4.1.2.2 forbids.
    public var hasNegativeSerialNumber = false
    /// The version as written, 1 for version 1; nil for 3.
    public var version: Int?
    /// The subject has no name.
    public var hasEmptySubject = false
    /// The issuer has no name, which RFC 5280 §4.1.2.4 forbids.
    public var hasEmptyIssuer = false
    /// The issuer's name is this common name instead of the signer's.
    public var issuerCommonName: String?
    /// Both dates as GeneralizedTime, whatever the year.
    public var usesGeneralizedTime = false
    /// The beginning of the validity as raw UTCTime; nil for that of the validity.
    public var notBefore: String?
    /// The key has an unknown algorithm.
    public var hasUnknownKeyAlgorithm = false
    /// The signed part names another algorithm than the signature.
    public var namesOtherAlgorithm = false
    /// One bit of the signature is wrong.
    public var hasBrokenSignature = false

    /// No flaw.
    public init() {}

    /// Creates flaws with a closure.
    public static func having(_ change: (inout CertificateFlaws) -> Void) -> CertificateFlaws {
        var flaws = CertificateFlaws()
        change(&flaws)
        return flaws
    }
}
