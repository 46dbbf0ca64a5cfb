// SPDX-License-Identifier: Apache-2.0

/// How revocation is checked; Alamofire 4's flags with Alamofire 4's values.
///
/// A certificate that is known to be revoked is always refused. A certificate without a known status is accepted,
/// unless `requirePositiveResponse` is set.
public struct RevocationFlags: OptionSet, Sendable, Hashable {
    /// Alamofire 4's bits.
    public let rawValue: UInt

    /// Creates flags from Alamofire 4's bits; unknown bits have no effect.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Check by OCSP (RFC 6960): the response that the server staples, or else that of the responder the certificate
    /// names.
    public static let ocsp = RevocationFlags(rawValue: 1)
    /// Check by certificate revocation lists (RFC 5280 §5): those given, or else those the certificate names.
    public static let crl = RevocationFlags(rawValue: 2)
    /// Fetch lists before asking responders.
    public static let preferCRL = RevocationFlags(rawValue: 4)
    /// Require a positive statement for every certificate below the anchor.
    public static let requirePositiveResponse = RevocationFlags(rawValue: 8)
    /// Fetch nothing: use only stapled and given data.
    public static let networkAccessDisabled = RevocationFlags(rawValue: 16)
    /// Check by OCSP and by lists, whichever answers.
    public static let useAnyAvailableMethod: RevocationFlags = [.ocsp, .crl]
}
