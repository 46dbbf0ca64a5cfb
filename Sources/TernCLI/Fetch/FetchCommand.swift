// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import TernEngine

/// A command that sends requests: such commands differ only in the method, whose name is theirs.
protocol FetchCommand: AsyncParsableCommand, EndsLikeCurl {
    /// The method of the command; nil leaves it to the options.
    static var method: String? { get }
    static var abstract: String { get }
    var options: FetchOptions { get set }
}

extension FetchCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: method?.lowercased() ?? "request", abstract: abstract, discussion: FetchOptions.discussion)
    }

    func run() async throws { try await FetchRun(method: Self.method, options: options).run() }
}

/// `tern get`: GET requests, with curl's defaults.
struct GetCommand: FetchCommand {
    static let method: String? = "GET"
    static let abstract = "Fetch a URL."

    @OptionGroup var options: FetchOptions
}

/// `tern head`: HEAD requests, like curl's `-I`.
struct HeadCommand: FetchCommand {
    static let method: String? = "HEAD"
    static let abstract = "Request the head of a URL, and show it."

    @OptionGroup var options: FetchOptions
}

/// `tern put`: PUT requests.
struct PutCommand: FetchCommand {
    static let method: String? = "PUT"
    static let abstract = "Send a body with PUT."

    @OptionGroup var options: FetchOptions
}

/// `tern post`: POST requests.
struct PostCommand: FetchCommand {
    static let method: String? = "POST"
    static let abstract = "Send a body with POST."

    @OptionGroup var options: FetchOptions
}

/// `tern patch`: PATCH requests.
struct PatchCommand: FetchCommand {
    static let method: String? = "PATCH"
    static let abstract = "Send a body with PATCH."

    @OptionGroup var options: FetchOptions
}

/// `tern delete`: DELETE requests.
struct DeleteCommand: FetchCommand {
    static let method: String? = "DELETE"
    static let abstract = "Send DELETE."

    @OptionGroup var options: FetchOptions
}

/// `tern request`: requests whose method the options set, by curl's rules.
struct RequestCommand: FetchCommand {
    static let method: String? = nil
    static let abstract =
        "Send a request as curl does: GET, POST with -d, PUT with -T, HEAD with -I, or the method of -X."

    @OptionGroup var options: FetchOptions
}

/// Runs a command that sends requests, from its options to its end.
struct FetchRun {
    /// The method of the command; nil leaves it to the options.
    let method: String?
    let options: FetchOptions
    /// Whether the progress is that of the upload rather than the response.
    var showsUpload = false

    func run() async throws {
        let choice = try MethodChoice(command: method, options.content)
        let targets = try options.targets()
        let cookies = try FetchCookies(options, for: targets)
        var planner = try FetchPlanner(options: options, choice: choice, cookies: cookies?.storage)
        let plans = try planner.plans(targets)
        let fetcher = Fetcher(
            options: options, session: try planner.builder.session(), configuration: planner.builder.configuration,
            writeOut: try options.output.writeOut.map(WriteOut.init(argument:)),
            heads: try options.output.headDump(),
            showsUpload: showsUpload || !options.content.uploads.isEmpty && plans.allSatisfy { ($0.path ?? "-") != "-" }
        )
        var last = ExitStatus.success
        do {
            for plan in plans {
                let status = try await fetcher.fetch(plan)
                if status != .success { last = status }
            }
            try fetcher.finish()
        } catch {
            // The jar is written whatever has happened, and the first failure is the one that is told.
            try? cookies?.save()
            throw error
        }
        try cookies?.save()
        if last != .success { throw ExitCode(last.rawValue) }
    }
}

/// `tern upload`: sends a file, and shows the progress.
struct UploadCommand: AsyncParsableCommand, EndsLikeCurl {
    static let configuration = CommandConfiguration(
        commandName: "upload", abstract: "Send a file with PUT, and show the progress.",
        discussion: """
            Progress goes to standard error: a bar with rate and remaining time on a terminal, a line for each tenth \
            elsewhere, nothing with -s. The file is read as it is sent. Exit codes are curl's, as "tern request \
            --help" lists them.
            """)

    @Argument(help: ArgumentHelp("The file; \"-\" is standard input.", valueName: "file"))
    var file: String

    @Argument(
        help: ArgumentHelp("An http or https URL; one that ends in \"/\" gets the file's name.", valueName: "url"))
    var url: String

    @Option(
        name: [.customShort("X", allowingJoined: true), .customLong("request")],
        help: ArgumentHelp("Send this method.", valueName: "method"))
    var method: String = "PUT"

    @OptionGroup(title: "Header fields") var fields: FieldOptions
    @OptionGroup(title: "Redirects, retries, limits") var transfer: TransferOptions
    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup(title: "Trust") var trust: TrustOptions
    @OptionGroup(title: "Accepted, without effect") var accepted: AcceptedOptions

    func validate() throws {
        if file.isEmpty || file == "." {
            throw ValidationError("\"\(file)\" is not a file: give one, or \"-\" for standard input")
        }
    }

    func run() async throws {
        // Equivalent to "tern request -T FILE URL", whose options these include.
        var options = try FetchOptions.parse(["--request=\(method)", "--upload-file=\(file)", "--", url])
        (options.fields, options.transfer, options.output, options.trust) = (fields, transfer, output, trust)
        try options.validate()
        try await FetchRun(method: nil, options: options, showsUpload: true).run()
    }
}
