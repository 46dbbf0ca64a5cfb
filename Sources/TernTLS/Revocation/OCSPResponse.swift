// SPDX-License-Identifier: Apache-2.0

/// A responder's word on certificates, as it was received (RFC 6960 §4.2).
public struct OCSPResponse: Sendable, Hashable {
    /// The DER `OCSPResponse`. Whether it is one turns out when it is judged.
    public let der: [UInt8]

    /// Any bytes will do: they are judged when they are used.
    public init(der: [UInt8]) { self.der = der }
}
