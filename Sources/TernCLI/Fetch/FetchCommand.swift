// SPDX-License-Identifier: Apache-2.0
import TernEngine

/// A command that sends requests: such commands differ only in the method, whose name is theirs.
protocol FetchCommand: ToolCommand {
    /// The method of the command; nil leaves it to the options.
    static var method: String? { get }
    /// What it takes of the method and the body.
    static var content: OptionTable<ContentOptions> { get }
    var options: RunOptions { get set }
}

extension FetchCommand {
    static var table: OptionTable<Self> {
        OptionTable(.group(part: RunOptions.table(content)) { try $1(&$0.options) })
    }

    static var name: String { method?.lowercased() ?? "request" }
    static var discussion: String { RunOptions.discussion }
    static var endsLikeCurl: Bool { true }
    static var content: OptionTable<ContentOptions> { OptionTable(ContentOptions.data, ContentOptions.upload) }

    func run() async throws { try await FetchRun(method: Self.method, options: options).run() }
}

/// `tern get`: GET requests, with curl's defaults.
struct GetCommand: FetchCommand {
    static let method: String? = "GET"
    static var content: OptionTable<ContentOptions> { OptionTable() }
    static let abstract = "Fetch a URL."

    var options = RunOptions()
}

/// `tern head`: HEAD requests, like curl's `-I`.
struct HeadCommand: FetchCommand {
    static let method: String? = "HEAD"
    static var content: OptionTable<ContentOptions> { OptionTable() }
    static let abstract = "Request the head of a URL, and show it."

    var options = RunOptions()
}

/// `tern put`: PUT requests.
struct PutCommand: FetchCommand {
    static let method: String? = "PUT"
    static let abstract = "Send a body with PUT."

    var options = RunOptions()
}

/// `tern post`: POST requests.
struct PostCommand: FetchCommand {
    static let method: String? = "POST"
    static let abstract = "Send a body with POST."

    var options = RunOptions()
}

/// `tern patch`: PATCH requests.
struct PatchCommand: FetchCommand {
    static let method: String? = "PATCH"
    static let abstract = "Send a body with PATCH."

    var options = RunOptions()
}

/// `tern delete`: DELETE requests.
struct DeleteCommand: FetchCommand {
    static let method: String? = "DELETE"
    static let abstract = "Send DELETE."

    var options = RunOptions()
}

/// `tern request`: requests whose method the options set, by curl's rules.
struct RequestCommand: FetchCommand {
    static let method: String? = nil
    static var content: OptionTable<ContentOptions> { ContentOptions.table }
    static let abstract =
        "Send a request as curl does: GET, POST with -d, PUT with -T, HEAD with -I, or the method of -X."

    var options = RunOptions()
}

/// `tern upload`: sends a file, and shows the progress.
struct UploadCommand: ToolCommand {
    static var table: OptionTable<Self> {
        OptionTable(
            .operand("file", help: "The file; \"-\" is standard input.") { $0.file = $1.text },
            .operand("url", help: "An http or https URL; one that ends in \"/\" gets the file's name.") {
                $0.options.arguments = [$1.text]
            },
            .group(\.options, part: FetchOptions.fetch(ContentOptions.method, OutputOptions.withoutContinuation)),
            .group(\.global.messages, "Output"), .group(\.global.record, "Output"))
    }

    static let name = "upload"
    static let abstract = "Send a file with PUT, and show the progress."
    static let endsLikeCurl = true
    static let discussion = """
        Progress goes to standard error: a bar with rate and remaining time on a terminal, a line for each tenth \
        elsewhere, nothing with -s. The file is read as it is sent.
        """

    var file = ""
    var options = FetchOptions()
    var global = GlobalOptions()

    func validate() throws {
        if file.isEmpty || file == "." {
            throw UsageError("\"\(file)\" is not a file: give one, or \"-\" for standard input")
        }
    }

    func run() async throws {
        _ = try Upload(path: file, option: nil)
        // Equivalent to "tern request -T FILE URL".
        var options = options
        options.content.uploads = [file]
        try options.validate()
        let run = RunOptions(options, global)
        try run.validate()
        try await FetchRun(method: nil, options: run, showsUpload: true).run()
    }
}
