// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

extension X509Certificate {
    /// A common name that is one of the addresses has the form of RFC 5952 and RFC 3986. Other common names are checked
    /// in the web profile only.
    var hasMatchingCommonNameAddresses: Bool {
        let addressNames = x509.commonNames.flatMap { name in
            let addresses = AddressText.bytes(parsing: name)
            return addresses.contains { AddressText.text($0) == name } ? [] : addresses
        }
        // Both sides may have many names: each is read once.
        return addressNames.isEmpty || Set(subjectAlternativeNames).isDisjoint(with: addressNames.map { .ip($0) })
    }
}
