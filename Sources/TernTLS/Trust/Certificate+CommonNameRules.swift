// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

extension Certificate {
    /// A common name that is one of the addresses is spelled as RFC 5952 and RFC 3986 spell it. Other common names are
    /// checked in the web profile only.
    var hasWellSpeltAddresses: Bool {
        let misspelt = x509.commonNames.flatMap { name in
            let addresses = AddressText.octets(inAnySpelling: name)
            return addresses.contains { AddressText.text($0) == name } ? [] : addresses
        }
        // Names may be many on both sides: each is looked at once.
        return misspelt.isEmpty || Set(subjectAlternativeNames).isDisjoint(with: misspelt.map { .ip($0) })
    }
}
