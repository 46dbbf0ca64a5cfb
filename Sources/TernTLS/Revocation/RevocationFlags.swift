// SPDX-License-Identifier: Apache-2.0

/// How to find out whether certificates have been revoked; Alamofire 4's flags with Alamofire 4's values.
///
/// A certificate that is known to be revoked is always refused. Where nothing can be found out, it passes, unless
/// `requirePositiveResponse` is set.
public struct RevocationFlags: OptionSet, Sendable, Hashable {
    /// Alamofire 4's bits.
    public let rawValue: UInt

    /// From Alamofire 4's bits; those that are no flag change nothing.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// By OCSP (RFC 6960): what the server staples, else by asking the responder the certificate names.
    public static let ocsp = RevocationFlags(rawValue: 1)
    /// By certificate revocation lists (RFC 5280 §5): those given, else those the certificate names.
    public static let crl = RevocationFlags(rawValue: 2)
    /// Where something has to be fetched, lists come before responders.
    public static let preferCRL = RevocationFlags(rawValue: 4)
    /// Every certificate below the anchor has to be vouched for.
    public static let requirePositiveResponse = RevocationFlags(rawValue: 8)
    /// Nothing is fetched: what the server staples, and what is given, has to do.
    public static let networkAccessDisabled = RevocationFlags(rawValue: 16)
    /// By OCSP and by lists, whichever answers.
    public static let useAnyAvailableMethod: RevocationFlags = [.ocsp, .crl]
}
