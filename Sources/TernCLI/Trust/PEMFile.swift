// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Tern

/// Certificates in a file that an option names.
enum PEMFile {
    /// - Throws: a usage error that names the option.
    static func certificates(_ path: String, option: String) throws -> [Certificate] {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw ValidationError("\(option): cannot read \(path)")
        }
        do {
            return try Certificate.all(inPEM: [UInt8](bytes))
        } catch {
            throw ValidationError("\(option): \(path): \(error)")
        }
    }
}
