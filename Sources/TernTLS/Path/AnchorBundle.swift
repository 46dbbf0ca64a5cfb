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

    /// Nil for a text with anything but certificates, or none: OpenSSL then reads it.
    init?(pem: [UInt8]) {
        OpenSSLError.clear()
        defer { OpenSSLError.clear() }
        guard let encodings = Self.read(pem), !encodings.isEmpty else { return nil }
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

    private static func read(_ pem: [UInt8]) -> [[UInt8]]? {
        guard let count = Int32(exactly: pem.count) else { return nil }
        return unsafe pem.withUnsafeBytes { bytes in
            guard let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, count) else { return nil }
            defer { unsafe BIO_free(bio) }
            var encodings: [[UInt8]] = []
            while let block = unsafe PEMBlocks.next(bio) {
                guard block.kind == PEM_STRING_X509 || block.kind == PEM_STRING_X509_OLD else { return nil }
                encodings.append(block.contents)
            }
            return ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE ? encodings : nil
        }
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

extension AnchorBundle {
    /// The lookup method of a store for names it does not have; nil if out of memory.
    ///
    /// Safety: written once, and only read by OpenSSL. The data of a lookup is a retained reference to its bundle,
    /// released when the lookup is freed.
    nonisolated(unsafe) private static let method: OpaquePointer? = {
        guard let method = unsafe X509_LOOKUP_meth_new("anchors by name") else { return nil }
        unsafe X509_LOOKUP_meth_set_get_by_subject(method) { lookup, kind, name, found in
            guard kind == X509_LU_X509, let lookup = unsafe lookup, let bundle = unsafe AnchorBundle.of(lookup) else {
                return 0
            }
            return unsafe bundle.find(name, for: X509_LOOKUP_get_store(lookup), found) ? 1 : 0
        }
        unsafe X509_LOOKUP_meth_set_free(method) { lookup in
            guard let data = unsafe X509_LOOKUP_get_method_data(lookup) else { return }
            unsafe Unmanaged<AnchorBundle>.fromOpaque(data).release()
        }
        return unsafe method
    }()

    @unsafe private static func of(_ lookup: OpaquePointer) -> AnchorBundle? {
        unsafe X509_LOOKUP_get_method_data(lookup).map {
            unsafe Unmanaged<AnchorBundle>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Lets the store find certificates that it does not have. False if out of memory.
    @unsafe func attach(to store: OpaquePointer) -> Bool {
        guard let method = unsafe Self.method, let lookup = unsafe X509_STORE_add_lookup(store, method) else {
            return false
        }
        let data = unsafe Unmanaged.passRetained(self)
        if unsafe X509_LOOKUP_set_method_data(lookup, data.toOpaque()) == 1 { return true }
        unsafe data.release()
        return false
    }

    /// Adds all certificates of that name to the store, which finds them itself from then on.
    @unsafe private func find(_ name: OpaquePointer?, for store: OpaquePointer?, _ found: OpaquePointer?) -> Bool {
        var isFound = false
        for certificate in unsafe certificates(named: name) {
            let x509 = unsafe certificate.x509.pointer
            guard unsafe X509_STORE_add_cert(store, x509) == 1, !isFound,
                unsafe X509_NAME_cmp(X509_get_subject_name(x509), name) == 0,
                unsafe X509_OBJECT_set1_X509(found, x509) == 1
            else { continue }
            // The caller counts its own reference (X509_LOOKUP_meth_set_get_by_subject(3)); until then it is the
            // bundle's.
            unsafe X509_free(x509)
            isFound = true
        }
        return isFound
    }
}
