// SPDX-License-Identifier: Apache-2.0
// Everything here comes from the server, unverified: each read is checked against the bytes that are left.

/// A log's promise to publish a certificate (RFC 6962 §3.2), as it was read: not verified.
package struct SignedCertificateTimestamp: Sendable, Hashable {
    /// The SHA-256 of the log's key; 32 bytes.
    let logID: [UInt8]
    /// Milliseconds since 1970-01-01T00:00:00Z.
    let milliseconds: UInt64
    let extensions: [UInt8]
    /// RFC 5246 §7.4.1.4.1: the hash's number and the signature's.
    let hash, algorithm: UInt8
    let signature: [UInt8]

    /// Why bytes are not a timestamp of version 1.
    enum Failure: Error, Hashable {
        case unknownVersion(UInt8)
        case malformed
    }

    /// Reads one serialised timestamp without further bytes.
    init(_ bytes: ArraySlice<UInt8>) throws(Failure) {
        var reader = VectorReader(bytes)
        guard let version = reader.number(1) else { throw .malformed }
        // The rest of other versions has another form (RFC 6962 §3.3).
        guard version == 0 else { throw .unknownVersion(UInt8(truncatingIfNeeded: version)) }
        guard let logID = reader.bytes(32), let milliseconds = reader.number(8),
            let extensions = reader.vector(lengthBytes: 2), let hash = reader.number(1),
            let algorithm = reader.number(1), let signature = reader.vector(lengthBytes: 2), reader.isAtEnd
        else { throw .malformed }
        self.logID = Array(logID)
        self.milliseconds = milliseconds
        self.extensions = Array(extensions)
        self.hash = UInt8(truncatingIfNeeded: hash)
        self.algorithm = UInt8(truncatingIfNeeded: algorithm)
        self.signature = Array(signature)
    }

    /// In whole seconds.
    var seconds: Int64 { Int64(milliseconds / 1000) }

    /// Whether it says where a tiled log has its entry: one `leaf_index` of five bytes among extensions that can be read
    /// (static-ct-api, `CTExtensions`).
    var hasLeafIndex: Bool {
        var reader = VectorReader(extensions[...])
        var count = 0
        while !reader.isAtEnd {
            guard let kind = reader.number(1), let content = reader.vector(lengthBytes: 2) else { return false }
            guard kind == 0 else { continue }
            guard content.count == 5 else { return false }
            count += 1
        }
        return count == 1
    }

    /// Reads a `SignedCertificateTimestampList` (RFC 6962 §3.3): the timestamps, still serialised. Nil if the bytes are
    /// not exactly one list.
    package static func list(_ bytes: [UInt8]) -> [ArraySlice<UInt8>]? {
        var outer = VectorReader(bytes[...])
        guard let content = outer.vector(lengthBytes: 2), outer.isAtEnd, !content.isEmpty else { return nil }
        var reader = VectorReader(content)
        var timestamps: [ArraySlice<UInt8>] = []
        while !reader.isAtEnd {
            guard let timestamp = reader.vector(lengthBytes: 2), !timestamp.isEmpty else { return nil }
            timestamps.append(timestamp)
        }
        return timestamps
    }

    /// What the log has signed (RFC 6962 §3.2); nil for an entry that is too long.
    func signedBytes(for entry: LogEntry) -> [UInt8]? {
        var bytes: [UInt8] = [0, 0]  // Version 1, certificate_timestamp.
        bytes += Self.number(milliseconds, bytes: 8)
        let content: [UInt8]
        switch entry {
        case .certificate(let der):
            bytes += [0, 0]
            content = der
        case .precertificate(let issuerKeyHash, let tbs):
            bytes += [0, 1]
            bytes += issuerKeyHash
            content = tbs
        }
        guard content.count < 1 << 24 else { return nil }
        bytes += Self.number(UInt64(content.count), bytes: 3)
        bytes += content
        bytes += Self.number(UInt64(extensions.count), bytes: 2)
        bytes += extensions
        return bytes
    }

    private static func number(_ value: UInt64, bytes count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }
}

/// What a log signs for a certificate.
enum LogEntry: Sendable {
    /// The certificate itself, for timestamps that are not in it.
    case certificate([UInt8])
    /// The certificate before it had timestamps: its signed part without them, and the SHA-256 of its issuer's key.
    case precertificate(issuerKeyHash: [UInt8], tbs: [UInt8])
}

/// Reads numbers and vectors in the notation of TLS (RFC 5246 §4).
struct VectorReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    /// A number of at most eight bytes.
    mutating func number(_ count: Int) -> UInt64? { bytes(count)?.reduce(0) { $0 << 8 | UInt64($1) } }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard rest.count >= count else { return nil }
        let bytes = rest.prefix(count)
        rest = rest.dropFirst(count)
        return bytes
    }

    /// The bytes after their length.
    mutating func vector(lengthBytes: Int) -> ArraySlice<UInt8>? {
        var copy = self
        guard let length = copy.number(lengthBytes), let content = copy.bytes(Int(length)) else { return nil }
        self = copy
        return content
    }
}
