// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import FoundationEssentials
import TernEngine
import TernFiles

/// The options of all commands that send requests, with curl's names.
struct FetchOptions: ParsableArguments {
    static let discussion = """
        Options that have curl's names mean what they mean in curl. A response with any status is a success unless -f or \
        --fail-with-body is given. Exit codes:

        \(ExitStatus.table)
        """

    @Argument(help: ArgumentHelp("An http or https URL; several are requested one after another.", valueName: "url"))
    var arguments: [String] = []

    @Option(
        name: .customLong("url"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Request this URL, before those that are given without an option.", valueName: "url"))
    var namedURLs: [String] = []

    @Option(
        name: [.customShort("r"), .customLong("range")], parsing: .unconditional,
        help: ArgumentHelp("Request only these bytes, such as 0-499 or -500 for the last ones.", valueName: "range"),
        transform: RangeOption.range)
    var range: String?

    @Flag(name: [.customShort("g"), .customLong("globoff")], help: "Send [ ] and { } in a URL unchanged.")
    var takesBracketsAsTheyAre = false

    @Flag(name: .customLong("path-as-is"), help: "Keep \"/../\" and \"/./\" in a URL.")
    var keepsDotSegments = false

    @OptionGroup(title: "Method and body") var content: ContentOptions
    @OptionGroup(title: "Header fields") var fields: FieldOptions
    @OptionGroup(title: "Cookies") var cookies: CookieOptions
    @OptionGroup(title: "Redirects, retries, limits") var transfer: TransferOptions
    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup(title: "Trust") var trust: TrustOptions
    @OptionGroup(title: "Accepted, without effect") var accepted: AcceptedOptions

    /// As typed.
    var urls: [String] { namedURLs + arguments }

    func validate() throws {
        if urls.isEmpty { throw ValidationError("no URL is given: give one, such as http://localhost:8080/") }
        if output.isJSON, let json = urls.first(where: { $0.hasPrefix("{") || $0.hasPrefix("[") || $0.hasPrefix("@") })
        {
            throw ValidationError(
                "\"\(json.prefix(100))\" is not a URL, and --json prints the response as JSON; send JSON with -d and "
                    + "-H 'Content-Type: application/json'")
        }
        try InputFile.checkStandardInput(content.inputs + fields.inputs + output.inputs + cookies.files)
        if !fields.sensitiveFields.isEmpty, !output.isVerbose, !transfer.isFollowing {
            throw ValidationError(
                "--sensitive hides a field from -v, and with -L keeps it from other origins: give -v or -L")
        }
        if transfer.continueTimeout != nil, !content.hasBody {
            throw ValidationError("--expect100-timeout needs a body, and there is none")
        }
    }

    func targets() throws -> [RequestedURL] {
        let targets = try urls.map { text in
            let text = RequestedURL.escaped(text)
            let typed = TypedURL(text)
            try typed.check(allowsBrackets: takesBracketsAsTheyAre)
            let target = try RequestedURL(keepsDotSegments ? text : typed.withoutDotSegments)
            try transfer.schemes.check(target)
            return target
        }
        if let first = targets.first, !transfer.isFollowing, !targets.contains(where: \.isSecure) {
            try trust.check(first)
        }
        return targets
    }
}

/// Options of curl for what tern always does. They exist so that commands written for curl run.
struct AcceptedOptions: ParsableArguments {
    @Flag(name: .customLong("http1.1"), help: "Speak HTTP/1.1.")
    var speaksHTTP11 = false

    @Flag(name: [.customShort("N"), .customLong("no-buffer")], help: "Write the body as it arrives.")
    var isUnbuffered = false

    @Flag(name: [.customShort("#"), .customLong("progress-bar")], help: "Show progress as a bar.")
    var showsBar = false

    @Flag(name: [.customShort("q"), .customLong("disable")], help: "Read no configuration file.")
    var readsNoConfiguration = false
}
