// SPDX-License-Identifier: Apache-2.0

/// Which rules a chain has to keep on top of what makes it safe.
public enum TrustProfile: String, Sendable, Hashable, CaseIterable {
    /// RFC 5280 and RFC 9525, as far as certificates in use keep them; for the web and for private authorities alike.
    case standard
    /// All of RFC 5280, and the CA/Browser Forum's baseline requirements for what can be seen in a certificate. Private
    /// authorities often fall short of it: no key identifiers, years of validity, names in the common name.
    case web
}
