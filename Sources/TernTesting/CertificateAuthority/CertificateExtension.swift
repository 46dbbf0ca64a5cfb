// SPDX-License-Identifier: Apache-2.0

/// One X.509 extension in OpenSSL's configuration syntax (`x509v3_config(5)`): `extendedKeyUsage`, `clientAuth`.
///
/// It replaces the default extension of that name; `value` nil omits the default one.
public struct CertificateExtension: Sendable, Hashable {
    /// OpenSSL's short name (`keyUsage`) or a dotted object identifier.
    public var name: String
    /// The value, optionally after `critical,`.
    public var value: String?

    /// Creates an extension by name; nil as the value omits the default one.
    public init(_ name: String, _ value: String?) {
        self.name = name
        self.value = value
    }
}
