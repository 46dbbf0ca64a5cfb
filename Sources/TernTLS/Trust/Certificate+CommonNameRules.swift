// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

extension Certificate {
    /// A common name that is one of the addresses is spelled as RFC 5952 and RFC 3986 spell it. What else a common name
    /// is, is nobody's business outside the web profile.
    var hasWellSpeltAddresses: Bool {
        let names = x509.commonNames
        guard !names.isEmpty, x509.hasExtension(NID_subject_alt_name) else { return true }
        return names.allSatisfy { name in
            guard let octets = AddressText.octets(inAnySpelling: name), AddressText.text(octets) != name else {
                return true
            }
            return !subjectAlternativeNames.contains(.ip(octets))
        }
    }
}
