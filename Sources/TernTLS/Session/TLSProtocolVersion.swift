// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// The supported protocol versions; older ones are deprecated (RFC 8996) and not available.
public enum TLSProtocolVersion: Sendable, Hashable, Comparable, CaseIterable {
    /// TLS 1.2 (RFC 5246).
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case v1_2
    /// TLS 1.3 (RFC 8446).
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case v1_3

    var number: Int32 {
        switch self {
        case .v1_2: TLS1_2_VERSION
        case .v1_3: TLS1_3_VERSION
        }
    }
}

extension TLSProtocolVersion: CustomStringConvertible {
    /// The version as OpenSSL and most logs write it.
    public var description: String {
        switch self {
        case .v1_2: "TLSv1.2"
        case .v1_3: "TLSv1.3"
        }
    }
}
