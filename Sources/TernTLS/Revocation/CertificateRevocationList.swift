// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// A certificate revocation list (RFC 5280 §5). Two lists are equal if they were read from the same bytes.
public struct CertificateRevocationList: Sendable {
    let reference: CRLReference
    private let der: [UInt8]

    /// Reads one DER `CertificateList` without further bytes.
    public init(der: [UInt8]) throws(RevocationError) {
        OpenSSLError.clear()
        let reference = unsafe der.withUnsafeBufferPointer { buffer -> CRLReference? in
            var cursor = buffer.baseAddress
            guard let list = unsafe d2i_X509_CRL(nil, &cursor, buffer.count) else { return nil }
            let reference = unsafe CRLReference(owning: list)
            return unsafe cursor == buffer.baseAddress.map { unsafe $0 + buffer.count } ? reference : nil
        }
        guard let reference else { throw .withQueue(.invalidDER) }
        // OpenSSL sorts the entries at the first lookup, which takes long for many entries: so it is done here, outside
        // a handshake.
        let (number, entry) = unsafe (ASN1_INTEGER_new(), UnsafeMutablePointer<OpaquePointer?>?.none)
        unsafe X509_CRL_get0_by_serial(reference.pointer, entry, number)
        unsafe ASN1_INTEGER_free(number)
        self.reference = reference
        self.der = der
    }

    /// Reads a file: one list in DER, or any number in PEM.
    public static func all(in bytes: [UInt8]) throws(RevocationError) -> [CertificateRevocationList] {
        // DER begins with a SEQUENCE tag, which no text begins with.
        if bytes.first == 0x30 { return [try CertificateRevocationList(der: bytes)] }
        var lists: [CertificateRevocationList] = []
        for block in try PEMBlocks.read(bytes, named: "X509 CRL") {
            lists.append(try CertificateRevocationList(der: block))
        }
        guard !lists.isEmpty else { throw RevocationError(.noList) }
        return lists
    }

    /// The length of the encoding in bytes.
    public var size: Int { der.count }

    /// The time of issue, in seconds since 1970; nil if it cannot be read.
    public var thisUpdate: Int64? { unsafe Timestamp.seconds(X509_CRL_get0_lastUpdate(reference.pointer)) }

    /// The time of the next issue; nil if it is not given.
    public var nextUpdate: Int64? { unsafe Timestamp.seconds(X509_CRL_get0_nextUpdate(reference.pointer)) }

    /// The issuer as RFC 4514 text, like that of `X509Certificate`.
    public var issuer: String { unsafe X509Reference.text(of: X509_CRL_get_issuer(reference.pointer)) }
}

extension CertificateRevocationList: Hashable {
    public static func == (left: CertificateRevocationList, right: CertificateRevocationList) -> Bool {
        left.reference === right.reference || left.der == right.der
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}
