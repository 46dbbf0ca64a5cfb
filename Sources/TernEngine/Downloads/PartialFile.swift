// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernFiles

/// The partial file of a download that was interrupted, locked so that no other download resumes it meanwhile.
struct PartialFile: Sendable {
    let file: OutputFile
    /// With the length that counts.
    let data: ResumeData

    /// The part of a file that another download writes.
    init(_ file: SharedFile, _ data: ResumeData) { (self.file, self.data) = (file.file, data) }

    /// Finds the file of `data`.
    init(_ data: ResumeData) throws(ResumeDataError) {
        let path = data.partialFile.path(percentEncoded: false)
        let (file, length) = try Self.open(path)
        if let expected = data.countOfBytesReceived, length < expected {
            throw .wrongLength(length, expected: expected)
        }
        // Without a recorded length, all of it counts; bytes beyond the recorded length were not meant to be kept.
        let received = data.countOfBytesReceived ?? length
        if let total = data.countOfBytesExpectedToReceive, received > total {
            throw .wrongLength(received, expected: total)
        }
        self.file = file
        self.data = data.kept(at: path, received)
    }

    private static func open(_ path: String) throws(ResumeDataError) -> (OutputFile, length: Int64) {
        let (file, isClaimed, length): (OutputFile?, Bool, Int64)
        do throws(SystemCallError) {
            file = try OutputFile.openOwned(path)
            isClaimed = try file?.lock() ?? false
            length = try file?.length ?? 0
        } catch {
            if error.isMissingFile { throw .missingFile(path: path) }
            if error.isNotRegularFile { throw .foreignFile(path: path) }
            throw .unreadable(path: path, code: error.code)
        }
        guard let file else { throw .foreignFile(path: path) }
        guard isClaimed else { throw .inUse(path: path) }
        return (file, length)
    }

    /// The partial file of an earlier download of the same URL to `target`; nil if it cannot be used.
    init?(besideTarget target: URL, for request: URLRequest) {
        guard request.method == "GET", request.body == nil, request.headers["Range"] == nil,
            let url = request.url.flatMap(ResumeData.withoutUserinfo),
            let data = try? ResumeData(besideTarget: target), data.url == url,
            let found = try? PartialFile(data)
        else { return nil }
        self = found
    }
}
