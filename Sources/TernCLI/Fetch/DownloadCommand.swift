// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernFiles

/// `tern download`: saves a URL as a file, completely or not at all, and resumes interrupted downloads.
struct DownloadCommand: ToolCommand {
    static var table: OptionTable<Self> {
        OptionTable(
            .group(\.file, "File"),
            .group(
                \.options,
                part: OptionTable(
                    FetchOptions.url, FetchOptions.request(OptionTable(ContentOptions.method, ContentOptions.data)),
                    .group(\.output, "Output", part: OptionTable(OutputOptions.dump, OutputOptions.writeOut)),
                    .group(\.accepted, "Accepted, without effect"))),
            .group(\.global.messages, "Output"), .group(\.global.record, "Output"),
            .group(\.global.rate, "Redirects, retries, limits"))
    }

    static let name = "download"
    static let abstract = "Save a URL's response as a file."
    static let endsLikeCurl = true
    static let discussion = """
        The file appears, or is replaced, when it is complete and matches --sha256. Redirects are followed, but \
        not from https to http. A response other than a success (2xx) is an error. An interrupted download is kept \
        beside the file, as .name.tern-part, if the server can resume it; -C - does.
        """

    var file = DownloadFileOptions()
    var options = FetchOptions()
    var global = GlobalOptions()

    func validate() throws {
        try file.check(options.range)
        if file.output != nil, Array(options.targets.prefix(2)).count > 1 {
            throw UsageError("-o names the file of one URL: give one")
        }
        if options.transfer.maximumBodySize != nil, file.continues {
            throw UsageError(
                "--max-filesize would limit the rest that -C - requests, not the file: give one of them")
        }
    }

    func run() async throws {
        var options = options
        (options.file, options.transfer.isFollowing) = (file, true)
        let run = RunOptions(options, global)
        try run.validate()
        try await FetchRun(method: nil, options: run).run()
    }
}

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
    func isComplete(as request: URLRequest, _ session: Session) async throws -> Bool {
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
