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

    /// The version of this number; nil for those that Tern does not speak.
    public init?(rawValue: UInt16) {
        switch rawValue {
        case 0x0303: self = .v1_2
        case 0x0304: self = .v1_3
        default: return nil
        }
    }

    /// The number on the wire (RFC 8446 §4.2.1): 0x0303 or 0x0304.
    public var rawValue: UInt16 {
        switch self {
        case .v1_2: 0x0303
        case .v1_3: 0x0304
        }
    }
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
