// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Tern

/// Certificates in a file that an option names: PEM, or one in DER.
enum CertificateFile {
    /// The anchors of `--anchors`; nil is the system's.
    static func anchors(_ path: String?) throws -> TrustAnchors {
        try path.map { TrustAnchors.only(try certificates($0, option: "--anchors")) } ?? .system
    }

    /// - Throws: a usage error that names the option.
    static func certificates(_ path: String, option: String) throws -> [X509Certificate] {
        let bytes = try TrustQuestion.contents(of: path, option)
        if let certificate = try? X509Certificate(der: [UInt8](bytes)) { return [certificate] }
        do {
            return try X509Certificate.all(inPEM: [UInt8](bytes))
        } catch {
            throw ValidationError("\(option): \(path): \(error)")
        }
    }
}
