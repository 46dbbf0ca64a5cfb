// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernEngine
import TernFiles

/// The file that `-C -` finds at its target, without a partial file of tern beside it.
struct ExistingFile {
    let path: String
    let size: Int

    /// Nil if there is no file, an empty one, or a partial file to resume.
    init?(at target: URL) {
        let part = target.deletingLastPathComponent().appending(path: ".\(target.lastPathComponent).tern-part")
        guard FileStatus(of: part.path(percentEncoded: false)) == nil,
            let status = FileStatus(of: target.path(percentEncoded: false)), status.kind == .regular, status.length > 0
        else { return nil }
        (path, size) = (target.relativePath, Int(status.length))
    }

    /// Returns whether the file is as long as the server announces; false also if it announces nothing.
    ///
    /// - Throws: a failure if the lengths differ: the file may be a partial file of another program.
    func isComplete(as request: Tern.URLRequest, _ session: Session) async throws -> Bool {
        var question = request
        question.httpMethod = "HEAD"
        let transcript = Transcript(.collect(limit: 0), verbose: nil, rules: ResponseRules(), progress: nil)
        await transcript.record(session.dataTask(with: question, delegate: transcript))
        let contents = transcript.contents
        guard contents.error == nil, let response = contents.response, response.statusCode == 200,
            let total = response.value(forHTTPHeaderField: "Content-Length").flatMap({ Int($0) })
        else { return false }
        if total == size { return true }
        throw CommandFailure(
            .badResumeData,
            "\(path) has \(size) bytes, the server's file has \(total), and no download of tern left it: remove it, "
                + "or omit -C - to replace it")
    }
}
