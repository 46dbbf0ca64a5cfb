// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation

/// Where a body goes as it comes: a file, or standard output.
struct BodyFile: Sendable {
    /// Nil is standard output.
    private let handle: FileHandle?

    /// `nil` and "-" are standard output. An existing file is replaced.
    init(path: String?) throws {
        guard let path, path != "-" else {
            handle = nil
            return
        }
        guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
        else { throw ValidationError("-o: cannot write \(path)") }
        handle = file
    }

    func write(_ data: Data) throws {
        guard let handle else { return try StandardStreams.write(data) }
        try handle.write(contentsOf: data)
    }
}
