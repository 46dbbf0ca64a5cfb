// SPDX-License-Identifier: Apache-2.0
public import TernEngine

/// ``TernTLS/TLSProtocolVersion``
// swift-format-ignore: TypeNamesShouldBeCapitalized
public typealias tls_protocol_version_t = TLSProtocolVersion

// swift-format-ignore: AlwaysUseLowerCamelCase
extension TLSProtocolVersion {
    /// ``TernTLS/TLSProtocolVersion/v1_2``
    public static var TLSv12: TLSProtocolVersion { .v1_2 }
    /// ``TernTLS/TLSProtocolVersion/v1_3``
    public static var TLSv13: TLSProtocolVersion { .v1_3 }
}

extension SessionConfiguration {
    /// The minimum version of TLS: ``TernTLS/TLSSettings/minimumVersion``.
    public var tlsMinimumSupportedProtocolVersion: TLSProtocolVersion {
        get { tls.minimumVersion }
        set { tls.minimumVersion = newValue }
    }

    /// The maximum version of TLS: ``TernTLS/TLSSettings/maximumVersion``.
    public var tlsMaximumSupportedProtocolVersion: TLSProtocolVersion {
        get { tls.maximumVersion }
        set { tls.maximumVersion = newValue }
    }
}
