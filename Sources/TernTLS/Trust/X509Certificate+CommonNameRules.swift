// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

extension X509Certificate {
    /// A common name that is one of the addresses is spelled as RFC 5952 and RFC 3986 spell it. Other common names are
    /// checked in the web profile only.
    var hasMatchingCommonNameAddresses: Bool {
        let addressNames = x509.commonNames.flatMap { name in
            let addresses = AddressText.bytes(parsing: name)
            return addresses.contains { AddressText.text($0) == name } ? [] : addresses
        }
        // Names may be many on both sides: each is looked at once.
        return addressNames.isEmpty || Set(subjectAlternativeNames).isDisjoint(with: addressNames.map { .ip($0) })
    }
}
