// SPDX-License-Identifier: Apache-2.0

/// A responder's statement about certificates, as received (RFC 6960 §4.2).
public struct OCSPResponse: Sendable, Hashable {
    /// The DER `OCSPResponse`, not verified before an evaluation.
    public let der: [UInt8]

    /// Accepts any bytes: they are verified when they are used.
    public init(der: [UInt8]) { self.der = der }
}
