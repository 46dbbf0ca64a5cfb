// SPDX-License-Identifier: Apache-2.0
// Safety: each pointer refers to a value that lives as long as the one system call it is lent to, with that value's own
// size.
import ArgumentParser
import Dispatch
import Foundation
import Glibc
import Tern
import TernEngine
import TernFiles

/// The content that an option names: a file, or a source that can be read once, such as standard input or a FIFO.
struct Upload {
    private static let pieceSize = 64 * 1024

    let path: String
    /// Nil if the length is not known in advance.
    let length: Int?

    /// - Parameter isChunked: whether the length is not announced even if it is known.
    /// - Throws: a failure that names the option if it cannot be read.
    init(path: String, option: String, isChunked: Bool = false) throws {
        self.path = path
        var status = stat()
        if path == "-" {
            length = nil
            return
        }
        guard unsafe ByteText.withPath(path, { unsafe stat($0, &status) == 0 && access($0, R_OK) == 0 }) else {
            throw CommandFailure(.unreadable, "\(option): cannot read \(path)")
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: throw CommandFailure(.unreadable, "\(option): \(path) is a folder")
        case S_IFREG where !isChunked: length = Int(status.st_size)
        default: length = nil
        }
    }

    var content: RequestBody {
        if length != nil { return .file(path: path) }
        let path = path
        let queue = DispatchQueue(label: "tern.input")
        let file = InputDescriptor()
        return .sequence(
            AsyncThrowingStream {
                try await withCheckedThrowingContinuation { continuation in
                    queue.async { continuation.resume(with: Result { try file.piece(of: path, Self.pieceSize) }) }
                }
            })
    }
}
