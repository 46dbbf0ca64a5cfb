// SPDX-License-Identifier: Apache-2.0

/// The rules for a chain beyond those that its safety needs.
public enum TrustProfile: String, Sendable, Hashable, CaseIterable {
    /// RFC 5280 and RFC 9525, as far as certificates in use comply; for the web and for private authorities alike.
    case standard
    /// All of RFC 5280, and the CA/Browser Forum's baseline requirements as far as a certificate shows them. Private
    /// authorities often do not comply: no key identifiers, years of validity, names in the common name.
    case web
}
