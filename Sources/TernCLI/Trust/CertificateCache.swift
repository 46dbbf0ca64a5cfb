// SPDX-License-Identifier: Apache-2.0
import Tern
import TernEngine

/// Certificates that cases share are read once, and their anchors indexed once. Bounded: past its limit the cache starts
/// afresh, so ten thousand cases need no more memory than a hundred.
struct CertificateCache {
    private static let maximumBytes = 8 << 20

    private var certificates: [String: [Certificate]] = [:]
    private var anchorSets: [[String]: Anchors] = [:]
    private var bytes = 0

    /// The certificates of an array of PEM texts.
    mutating func certificates(_ element: JSONElement) throws(PolicyFileError) -> [Certificate] {
        var all: [Certificate] = []
        for element in try element.elements() {
            let pem = try element.string()
            if let known = certificates[pem] {
                all += known
                continue
            }
            let read = try element.pemCertificates()
            makeRoom(for: pem.utf8.count)
            certificates[pem] = read
            all += read
        }
        return all
    }

    /// An array of PEM texts as the only anchors.
    mutating func anchors(_ element: JSONElement) throws(PolicyFileError) -> Anchors {
        let texts = try element.strings()
        if let known = anchorSets[texts] { return known }
        let anchors = Anchors.only(try certificates(element))
        makeRoom(for: texts.reduce(0) { $0 + $1.utf8.count })
        anchorSets[texts] = anchors
        return anchors
    }

    private mutating func makeRoom(for count: Int) {
        bytes += count
        guard bytes > Self.maximumBytes else { return }
        certificates = [:]
        anchorSets = [:]
        bytes = count
    }
}
