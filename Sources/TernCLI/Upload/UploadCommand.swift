// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

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
