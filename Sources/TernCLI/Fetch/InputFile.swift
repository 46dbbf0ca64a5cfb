// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation

/// A file that an option reads; `-` is standard input.
enum InputFile {
    /// - Throws: a failure that names the option.
    static func read(_ path: String, for option: String) throws -> Data {
        do {
            if path == "-" { return try FileHandle.standardInput.readToEnd() ?? Data() }
            guard let file = FileHandle(forReadingAtPath: path) else {
                throw CommandFailure(.unreadable, "\(option): cannot read \(path)")
            }
            return try file.readToEnd() ?? Data()
        } catch let error as CommandFailure {
            throw error
        } catch {
            throw CommandFailure(.unreadable, "\(option): cannot read \(path == "-" ? "standard input" : path)")
        }
    }

    /// A second reader of standard input would find it empty.
    static func checkStandardInput(_ inputs: [String]) throws {
        if inputs.count(where: { $0 == "-" }) > 1 {
            throw ValidationError("\"-\" is given more than once, and standard input can be read only once")
        }
    }
}
