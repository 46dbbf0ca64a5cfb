// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import TernLock

/// A PEM file of anchors of which only the names have been read. Parsing a certificate, above all its key, takes
/// OpenSSL twenty times as long, and few of a system's more than a hundred certificates are ever used.
///
/// Safety: OpenSSL borrows arrays for the duration of a call. A parsed certificate lives as long as the bundle.
@safe final class AnchorBundle: Sendable {
    private let encodings: [[UInt8]]
    /// The positions of certificates by OpenSSL's hash of their name. The store distinguishes names with the same hash.
    private let places: [UInt: [Int]]
    private let parsed = Lock<[Int: X509Certificate]>([:])

    /// Nil for a file that cannot be read, or contains anything but certificates: OpenSSL then reads it.
    @unsafe init?(file: UnsafePointer<CChar>) {
        OpenSSLError.clear()
        defer { OpenSSLError.clear() }
        guard let encodings = unsafe Self.read(file), !encodings.isEmpty else { return nil }
        var places: [UInt: [Int]] = [:]
        for (place, encoding) in encodings.enumerated() {
            guard let hash = Self.nameHash(of: encoding) else { return nil }
            places[hash, default: []].append(place)
        }
        self.encodings = encodings
        self.places = places
    }

    var count: Int { encodings.count }

    /// All blocks that are certificates.
    var all: [X509Certificate] { encodings.indices.compactMap(certificate) }

    /// Those whose subject is `name`, and perhaps others.
    @unsafe func certificates(named name: OpaquePointer?) -> [X509Certificate] {
        guard let hash = unsafe Self.hash(name) else { return [] }
        return places[hash, default: []].compactMap(certificate)
    }

    private func certificate(at place: Int) -> X509Certificate? {
        parsed.withLock { parsed in
            if let known = parsed[place] { return known }
            let read = try? X509Certificate(der: encodings[place])
            parsed[place] = read
            return read
        }
    }

    @unsafe private static func read(_ file: UnsafePointer<CChar>) -> [[UInt8]]? {
        guard let bio = unsafe BIO_new_file(file, "r") else { return nil }
        defer { unsafe BIO_free(bio) }
        var encodings: [[UInt8]] = []
        while let block = unsafe PEMBlocks.next(bio) {
            guard block.kind == PEM_STRING_X509 || block.kind == PEM_STRING_X509_OLD else { return nil }
            encodings.append(block.contents)
        }
        return ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE ? encodings : nil
    }

    /// Nil if there is no subject where RFC 5280 §4.1 has it.
    private static func nameHash(of encoding: [UInt8]) -> UInt? {
        guard var outer = DERElements(sequence: encoding), let toBeSigned = outer.next(), toBeSigned.tag == 0x30 else {
            return nil
        }
        var elements = DERElements(toBeSigned.content)
        // Skips [0] version, if present; then serialNumber, signature, issuer, validity.
        guard var last = elements.next() else { return nil }
        for _ in 0..<(last.tag == 0xa0 ? 4 : 3) {
            guard let next = elements.next() else { return nil }
            last = next
        }
        guard let subject = elements.next(), subject.tag == 0x30 else { return nil }
        return unsafe encoding[last.content.endIndex..<subject.content.endIndex].withUnsafeBufferPointer { bytes in
            var cursor = bytes.baseAddress
            guard let name = unsafe d2i_X509_NAME(nil, &cursor, bytes.count) else { return nil }
            defer { unsafe X509_NAME_free(name) }
            return unsafe hash(name)
        }
    }

    @unsafe private static func hash(_ name: OpaquePointer?) -> UInt? {
        var succeeded: Int32 = 0
        let hash = unsafe X509_NAME_hash_ex(name, nil, nil, &succeeded)
        return succeeded == 1 ? hash : nil
    }
}
