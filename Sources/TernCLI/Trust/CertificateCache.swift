// SPDX-License-Identifier: Apache-2.0
import TernEngine

/// Certificates that cases share are read once, and their anchors indexed once. Bounded: beyond its limit the cache
/// drops its oldest entries gradually, so ten thousand cases need no more memory than a hundred, and no single case
/// pays for all.
struct CertificateCache {
    private static let maximumBytes = 8 << 20

    private enum Key {
        case certificates(String)
        case anchors([String])

        var size: Int {
            switch self {
            case .certificates(let pem): pem.utf8.count
            case .anchors(let texts): texts.reduce(0) { $0 + $1.utf8.count }
            }
        }
    }

    private var certificates: [String: [X509Certificate]] = [:]
    private var anchorSets: [[String]: TrustAnchors] = [:]
    /// The entries of the cache, oldest first, from `oldest` on.
    private var keys: [Key] = []
    private var oldest = 0
    private(set) var bytes = 0

    /// The certificates of an array of PEM texts.
    mutating func certificates(_ element: JSONElement) throws(PolicyFileError) -> [X509Certificate] {
        var all: [X509Certificate] = []
        for element in try element.elements() {
            let pem = try element.string()
            if let known = certificates[pem] {
                all += known
                continue
            }
            let read = try element.pemCertificates()
            certificates[pem] = read
            add(.certificates(pem))
            all += read
        }
        return all
    }

    /// An array of PEM texts as the only anchors.
    mutating func anchors(_ element: JSONElement) throws(PolicyFileError) -> TrustAnchors {
        let texts = try element.strings()
        if let known = anchorSets[texts] { return known }
        let anchors = TrustAnchors.only(try certificates(element))
        anchorSets[texts] = anchors
        add(.anchors(texts))
        return anchors
    }

    private mutating func add(_ key: Key) {
        keys.append(key)
        bytes += key.size
        while bytes > Self.maximumBytes, oldest < keys.count {
            forget(keys[oldest])
            oldest += 1
        }
        // Moving the rest costs no more than the entries already dropped.
        if oldest > keys.count / 2 {
            keys.removeFirst(oldest)
            oldest = 0
        }
    }

    private mutating func forget(_ key: Key) {
        bytes -= key.size
        switch key {
        case .certificates(let pem): certificates[pem] = nil
        case .anchors(let texts): anchorSets[texts] = nil
        }
    }
}
