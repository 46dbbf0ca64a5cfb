// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The file that a form is written to. It did not exist before.
struct FormOutput {
    private let fileURL: URL
    private let handle: FileHandle

    init(_ fileURL: URL) throws {
        if FileManager.default.fileExists(atPath: fileURL.path) {
            throw Self.failure(.outputStreamFileAlreadyExists(at: fileURL))
        }
        if !fileURL.isFileURL { throw Self.failure(.outputStreamURLInvalid(url: fileURL)) }
        do {
            // A file that was created meanwhile stays.
            try Data().write(to: fileURL, options: .withoutOverwriting)
        } catch CocoaError.fileWriteFileExists {
            throw Self.failure(.outputStreamFileAlreadyExists(at: fileURL))
        } catch {
            throw Self.failure(.outputStreamCreationFailed(for: fileURL))
        }
        guard let handle = FileHandle(forWritingAtPath: fileURL.path) else {
            throw Self.failure(.outputStreamCreationFailed(for: fileURL))
        }
        self.fileURL = fileURL
        self.handle = handle
    }

    func write(_ bytes: Data) throws {
        do { try handle.write(contentsOf: bytes) } catch { throw Self.failure(.outputStreamWriteFailed(error: error)) }
    }

    func close() throws {
        do { try handle.close() } catch { throw Self.failure(.outputStreamWriteFailed(error: error)) }
    }

    func remove() {
        try? handle.close()
        try? FileManager.default.removeItem(at: fileURL)
    }

    private static func failure(_ reason: AFError.MultipartEncodingFailureReason) -> AFError {
        .multipartEncodingFailed(reason: reason)
    }
}
