// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Tern

/// Certificates in a file that an option names: PEM, or one in DER.
enum CertificateFile {
    /// The anchors of `--anchors`; nil is the system's.
    static func anchors(_ path: String?) throws -> Anchors {
        try path.map { Anchors.only(try certificates($0, option: "--anchors")) } ?? .system
    }

    /// - Throws: a usage error that names the option.
    static func certificates(_ path: String, option: String) throws -> [Certificate] {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw ValidationError("\(option): cannot read \(path)")
        }
        if let certificate = try? Certificate(der: [UInt8](bytes)) { return [certificate] }
        do {
            return try Certificate.all(inPEM: [UInt8](bytes))
        } catch {
            throw ValidationError("\(option): \(path): \(error)")
        }
    }
}
