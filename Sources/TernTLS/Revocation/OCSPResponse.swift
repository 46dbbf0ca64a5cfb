// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// A responder's statement about certificates, as received (RFC 6960 §4.2).
public struct OCSPResponse: Sendable, Hashable {
    /// The DER `OCSPResponse`, not verified before an evaluation.
    public let der: [UInt8]

    /// Accepts any bytes: they are verified when they are used.
    public init(der: [UInt8]) { self.der = der }
}

extension OCSPResponse {
    /// When its first entry expires by its own, unverified, statement, in seconds since 1970: for caches of responses.
    /// Nil if it is malformed or has no expiry.
    public var nextUpdate: Int64? {
        OpenSSLError.clear()
        defer { OpenSSLError.clear() }
        guard let basic = unsafe basic else { return nil }
        defer { unsafe OCSP_BASICRESP_free(basic) }
        return (0..<max(0, unsafe OCSP_resp_count(basic))).compactMap { index -> Int64? in
            var next: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
            unsafe OCSP_single_get0_status(OCSP_resp_get0(basic, index), nil, nil, nil, &next)
            return unsafe Timestamp.seconds(next)
        }.min()
    }

    /// The signed part of a successful response, which the caller frees; nil for anything else.
    var basic: OpaquePointer? {
        unsafe der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            guard let outer = unsafe d2i_OCSP_RESPONSE(nil, &cursor, buffer.count) else { return nil }
            defer { unsafe OCSP_RESPONSE_free(outer) }
            guard unsafe OCSP_response_status(outer) == OCSP_RESPONSE_STATUS_SUCCESSFUL else { return nil }
            return unsafe OCSP_response_get1_basic(outer)
        }
    }
}
