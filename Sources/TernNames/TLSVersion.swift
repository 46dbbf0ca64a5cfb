// SPDX-License-Identifier: Apache-2.0
public import Tern

/// ``TernTLS/TLSVersion``
// swift-format-ignore: TypeNamesShouldBeCapitalized
public typealias tls_protocol_version_t = TLSVersion

// swift-format-ignore: AlwaysUseLowerCamelCase
extension TLSVersion {
    /// ``TernTLS/TLSVersion/v1_2``
    public static var TLSv12: TLSVersion { .v1_2 }
    /// ``TernTLS/TLSVersion/v1_3``
    public static var TLSv13: TLSVersion { .v1_3 }
}

extension SessionConfiguration {
    /// The oldest version of TLS that is spoken: ``TernTLS/TLSConfiguration/minimumVersion``.
    public var tlsMinimumSupportedProtocolVersion: TLSVersion {
        get { tls.minimumVersion }
        set { tls.minimumVersion = newValue }
    }
}
