// SPDX-License-Identifier: Apache-2.0

/// One X.509 extension in OpenSSL's configuration syntax (`x509v3_config(5)`): `extendedKeyUsage`, `clientAuth`.
///
/// It replaces the extension of that name a request would have by default; `value` nil leaves the default one out.
public struct CertificateExtension: Sendable, Hashable {
    /// OpenSSL's short name (`keyUsage`) or a dotted object identifier.
    public var name: String
    /// The value, optionally after `critical,`.
    public var value: String?

    /// An extension by name; nil in place of a value leaves out the one there would be.
    public init(_ name: String, _ value: String?) {
        self.name = name
        self.value = value
    }
}
