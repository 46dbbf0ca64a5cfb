// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation

/// A file that an option reads; `-` is standard input.
enum InputFile {
    private static let pieceSize = 256 * 1024

    /// - Throws: a failure that names the option.
    static func read(_ path: String, for option: String) throws -> Data {
        do throws(InputError) {
            return try contents(of: path)
        } catch {
            throw CommandFailure(.unreadable, "\(option): \(error)")
        }
    }

    /// - Parameter path: "-" is standard input.
    static func contents(of path: String) throws(InputError) -> Data {
        try read(InputDescriptor(), path)
    }

    // Apart, and not inlined: with the object and the typed error in one function, the compiler of Swift 6.3.1 puts the
    // object onto the stack and releases it as if it were not there.
    @inline(never)
    private static func read(_ file: InputDescriptor, _ path: String) throws(InputError) -> Data {
        var contents = Data()
        while let piece = try file.piece(of: path, pieceSize) { contents.append(piece) }
        return contents
    }

    /// A second reader of standard input would find it empty.
    static func checkStandardInput(_ inputs: [String]) throws {
        if inputs.count(where: { $0 == "-" }) > 1 {
            throw ValidationError("\"-\" is given more than once, and standard input can be read only once")
        }
    }
}
