// SPDX-License-Identifier: Apache-2.0

extension X509Certificate {
    /// The encoding as text (RFC 7468), with a line break at the end.
    public var pem: String {
        var lines = ["-----BEGIN CERTIFICATE-----"]
        var rest = Base64.encode(der)[...]
        while !rest.isEmpty {
            lines.append(String(rest.prefix(64)))
            rest = rest.dropFirst(64)
        }
        return lines.joined(separator: "\n") + "\n-----END CERTIFICATE-----\n"
    }
}
