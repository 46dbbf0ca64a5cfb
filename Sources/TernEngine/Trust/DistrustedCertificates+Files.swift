// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import TernTLS

/// Lists of distrusted certificates as browsers get them, which may also be written by hand.
extension DistrustedCertificates {
    /// Reads OneCRL's JSON, or a CRLSet of Chromium: the bytes tell which. Does not block.
    public init(contents: some Sequence<UInt8>) throws(DistrustedCertificatesError) {
        let contents = Array(contents)
        let isObject = JSONReader.beginsObject(contents)
        if CRLSetReader.hasHeader(contents, orPart: !isObject) {
            try self.init(crlSet: contents)
        } else if isObject {
            try self.init(oneCRL: contents)
        } else {
            throw DistrustedCertificatesError(.unknownFormat, offset: 0)
        }
    }

    /// Reads a list from a regular file of at most 16 MB; see ``init(contents:)``. Blocks while the file is read.
    public init(contentsOf file: URL) throws(DistrustedCertificatesError) {
        try self.init(
            contents: try DistrustedCertificatesError.ofJSON { () throws(PolicyFileError) in
                try PolicyFile.contents(of: file)
            })
    }

    /// Reads the records of OneCRL:
    ///
    /// ```json
    /// {"data": [
    ///   {"issuerName": "BASE64 of DER", "serialNumber": "BASE64"},
    ///   {"subject": "BASE64 of DER", "pubKeyHash": "BASE64 of SHA-256"},
    ///   {"pubKeyHash": "BASE64 of SHA-256"}
    /// ]}
    /// ```
    ///
    /// The last form, a key whatever its name, is not OneCRL's. Other members are ignored: Mozilla's have more. A record that
    /// cannot be read is an error of the whole, because the certificate that it means would be trusted.
    public init(oneCRL json: some Sequence<UInt8>) throws(DistrustedCertificatesError) {
        let json = Array(json)
        self.init(
            try DistrustedCertificatesError.ofJSON { () throws(PolicyFileError) in
                var fields = try JSONFields(reading: json)
                return try fields.require("data").elements { element throws(PolicyFileError) in
                    try element.distrusted()
                }
            })
    }

    /// Reads a CRLSet: `BlockedSPKIs` of its header, and the serial numbers under the keys of their issuers. Its `NotAfter`
    /// is ``TernTLS/DistrustedCertificates/validUntil``. Other members of the header are ignored.
    public init(crlSet bytes: some Sequence<UInt8>) throws(DistrustedCertificatesError) {
        let bytes = Array(bytes)
        var reader = CRLSetReader(bytes)
        let header = try reader.header()
        self.init(header.blocked + (try reader.serialNumbers(ofParents: header.parents)), validUntil: header.notAfter)
    }
}

extension JSONElement {
    fileprivate func distrusted() throws(PolicyFileError) -> DistrustedCertificates.Entry {
        var fields = try JSONFields(self)
        if let issuer = fields.take("issuerName") {
            return .serialNumber(
                try fields.require("serialNumber").filledBase64(), issuer: try issuer.distinguishedName())
        }
        let subject = fields.take("subject")
        let key = try fields.require("pubKeyHash").hashOfKey()
        return try subject.map { subject throws(PolicyFileError) in .subject(try subject.distinguishedName(), key) }
            ?? .publicKey(key)
    }

    private func filledBase64() throws(PolicyFileError) -> [UInt8] {
        let bytes = try base64()
        guard !bytes.isEmpty else { throw error(.empty) }
        return bytes
    }

    private func distinguishedName() throws(PolicyFileError) -> [UInt8] {
        let der = try base64()
        guard DistrustedCertificates.isName(der) else { throw error(.invalidName) }
        return der
    }

    fileprivate func hashOfKey() throws(PolicyFileError) -> X509Certificate.PublicKey {
        let hash = try base64()
        guard let key = X509Certificate.PublicKey(sha256: hash) else {
            throw error(.invalidPin(.wrongLength(hash.count)))
        }
        return key
    }
}

/// The binary form of Chromium's `crl_set.cc`: a header in JSON after its length, and for each issuer the hash of its key,
/// a count, and the serial numbers, each after its length. Numbers are little-endian.
private struct CRLSetReader {
    private enum ContentType: String, CaseIterable { case set = "CRLSet" }

    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether an object follows the length of the header, as long as that says.
    static func hasHeader(_ bytes: [UInt8], orPart takesPart: Bool) -> Bool {
        guard bytes.count > 2, bytes[2] == UInt8(ascii: "{") else { return false }
        let end = 2 + Int(bytes[0]) + Int(bytes[1]) << 8
        return end > bytes.count ? takesPart : bytes[end - 1] == UInt8(ascii: "}")
    }

    mutating func header() throws(DistrustedCertificatesError) -> (
        blocked: [DistrustedCertificates.Entry], parents: Int, notAfter: Int64?
    ) {
        let text = try take(try number(of: 2))
        return try DistrustedCertificatesError.ofJSON { () throws(PolicyFileError) in
            var fields = try JSONFields(reading: text)
            let _: ContentType = try fields.require("ContentType").word()
            // A difference to an earlier set is no set.
            _ = try fields.take("DeltaFrom")?.number(in: 0...0)
            let blocked = try fields.take("BlockedSPKIs")?.elements { element throws(PolicyFileError) in
                DistrustedCertificates.Entry.publicKey(try element.hashOfKey())
            }
            let parents = try fields.require("NumParents").number(in: 0...Int(UInt32.max))
            let notAfter = try fields.take("NotAfter")?.number(in: 0...253_402_300_799)
            return (blocked ?? [], parents, notAfter.map { Int64($0) })
        }
    }

    mutating func serialNumbers(
        ofParents count: Int
    ) throws(DistrustedCertificatesError) -> [DistrustedCertificates.Entry] {
        var entries: [DistrustedCertificates.Entry] = []
        for _ in 0..<count {
            let hash = try take(32)
            guard let key = X509Certificate.PublicKey(sha256: hash) else { throw error(.truncated) }
            for _ in 0..<(try number(of: 4)) {
                let number = try take(try number(of: 1))
                guard let first = number.first else { throw error(.emptySerialNumber) }
                // They have no sign; one in DER would be negative with the first bit set.
                entries.append(.serialNumberUnderKey(first < 0x80 ? number : [0] + number, key))
            }
        }
        guard offset == bytes.count else { throw error(.trailingBytes) }
        return entries
    }

    private mutating func number(of size: Int) throws(DistrustedCertificatesError) -> Int {
        try take(size).reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private mutating func take(_ count: Int) throws(DistrustedCertificatesError) -> [UInt8] {
        guard bytes.count - offset >= count else { throw error(.truncated) }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    private func error(_ reason: DistrustedCertificatesError.Reason) -> DistrustedCertificatesError {
        DistrustedCertificatesError(reason, offset: offset)
    }
}

/// Why a file is no list of distrusted certificates.
public struct DistrustedCertificatesError: Error, Sendable, Hashable {
    /// The kind of error.
    public enum Reason: Sendable, Hashable {
        /// Neither a JSON object nor a CRLSet.
        case unknownFormat
        /// The JSON text has an error, or the header of a CRLSet, where lines and columns are counted in the header; or the
        /// file cannot be read.
        case json(PolicyFileError)
        /// A CRLSet ends before its last serial number.
        case truncated
        /// A CRLSet has a serial number without bytes.
        case emptySerialNumber
        /// A CRLSet has more bytes than its header says.
        case trailingBytes
    }

    /// The kind of error.
    public let reason: Reason
    /// The first byte at fault, counted from 0; nil in JSON, where ``Reason/json(_:)`` has the line.
    public let offset: Int?

    init(_ reason: Reason, offset: Int?) { (self.reason, self.offset) = (reason, offset) }

    fileprivate static func ofJSON<Value>(
        _ read: () throws(PolicyFileError) -> Value
    ) throws(DistrustedCertificatesError) -> Value {
        do throws(PolicyFileError) {
            return try read()
        } catch {
            throw DistrustedCertificatesError(.json(error), offset: nil)
        }
    }
}

extension DistrustedCertificatesError: CustomStringConvertible {
    /// For example "byte 4711: the CRLSet ends too early".
    public var description: String { (offset.map { "byte \($0): " } ?? "") + "\(reason)" }
}

extension DistrustedCertificatesError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownFormat: "neither OneCRL's JSON nor a CRLSet"
        case .json(let error): "\(error)"
        case .truncated: "the CRLSet ends too early"
        case .emptySerialNumber: "a serial number has no bytes"
        case .trailingBytes: "the CRLSet has more bytes than its header says"
        }
    }
}
