// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// A certificate revocation list (RFC 5280 §5). Two lists are equal if they were read from the same bytes.
public struct CertificateRevocationList: Sendable {
    let reference: CRLReference
    private let der: [UInt8]
    /// The same for equal lists in every process, and different for others.
    package let digest: [UInt8]

    /// Reads one DER `CertificateList` without further bytes.
    public init(der: some Sequence<UInt8>) throws(RevocationError) {
        let der = Array(der)
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
        digest = unsafe der.withUnsafeBytes { bytes in
            var digest = MessageDigest(.sha256)
            unsafe digest.update(bytes)
            return digest.finish() ?? []
        }
    }

    /// Reads a file: one list in DER, or any number in PEM.
    public static func all(in bytes: some Sequence<UInt8>) throws(RevocationError) -> [CertificateRevocationList] {
        let bytes = Array(bytes)
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

extension PEMBlocks {
    /// The contents of the blocks of one kind, in order, skipping text and other kinds.
    static func read(_ pem: [UInt8], named kind: String) throws(RevocationError) -> [[UInt8]] {
        guard let count = Int32(exactly: pem.count) else { throw RevocationError(.tooLarge) }
        OpenSSLError.clear()
        var blocks: [[UInt8]] = []
        let ended = unsafe pem.withUnsafeBytes { bytes in
            guard let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, count) else { return false }
            defer { unsafe BIO_free(bio) }
            while let block = unsafe next(bio) { if block.kind == kind { blocks.append(block.contents) } }
            return ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE
        }
        guard ended else { throw .withQueue(.invalidPEM) }
        OpenSSLError.clear()
        return blocks
    }
}

/// Why bytes are not a revocation list.
public struct RevocationError: Error, Sendable, Hashable {
    /// The kind of error.
    public enum Reason: Sendable, Hashable {
        /// The bytes are not exactly one DER `CertificateList`.
        case invalidDER
        /// A block of the PEM text is malformed.
        case invalidPEM
        /// The PEM text has no `X509 CRL` block.
        case noList
        /// More bytes than OpenSSL can handle.
        case tooLarge
    }

    /// The kind of error.
    public let reason: Reason
    /// OpenSSL's error queue, oldest first.
    public let openSSL: [OpenSSLError]

    init(_ reason: Reason, openSSL: [OpenSSLError] = []) {
        self.reason = reason
        self.openSSL = openSSL
    }

    /// Empties this thread's OpenSSL error queue into the error.
    static func withQueue(_ reason: Reason) -> RevocationError {
        RevocationError(reason, openSSL: OpenSSLError.drain())
    }
}

extension RevocationError: CustomStringConvertible {
    public var description: String {
        let text =
            switch reason {
            case .invalidDER: "not a DER revocation list"
            case .invalidPEM: "a PEM block is broken"
            case .noList: "no PEM revocation list found"
            case .tooLarge: "too many bytes for a revocation list"
            }
        return openSSL.appended(to: text)
    }
}

/// An `X509_CRL`.
///
/// Safety: the pointer is owned, never nil, freed once in `deinit`, and only read; OpenSSL sorts the entries at its
/// first lookup, under the list's own lock.
@safe final class CRLReference: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes ownership of the caller's reference.
    @unsafe init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe X509_CRL_free(pointer) }
}
