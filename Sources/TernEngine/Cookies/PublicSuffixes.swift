// SPDX-License-Identifier: Apache-2.0
import TernIO
import TernSystem

/// Which domains no cookie may be set for, because anyone may register a name in them (RFC 6265bis §5.5).
enum PublicSuffixes {
    /// Whether `domain`, in lower case and without dots at its ends, is such a domain.
    static func contains(_ domain: String) -> Bool {
        PublicSuffixList.system?.contains(domain) ?? isProbable(domain)
    }

    /// The public suffix that `host` lies in and one label more: what one owner has registered. The host itself if it is
    /// an address or a public suffix.
    static func registrableDomain(of host: String) -> String {
        if IPAddress(literal: host) != nil { return host }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        for count in stride(from: 1, to: labels.count, by: 1) {
            let domain = labels.suffix(count + 1).joined(separator: ".")
            if !contains(domain) { return domain }
        }
        return host
    }

    /// The rule where the system has no list: a domain of one label, and one like `co.uk` or `com.au`, whose last label
    /// has two letters and whose first has three at most. It refuses some domains that have owners, such as `t.co`, and
    /// takes suffixes of other forms, such as `github.io`, for domains that have one.
    static func isProbable(_ domain: String) -> Bool {
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count == 2 else { return labels.count < 2 }
        return labels[1].utf8.count == 2 && labels[0].utf8.count <= 3
    }
}
