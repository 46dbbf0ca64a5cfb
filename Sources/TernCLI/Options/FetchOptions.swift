// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernFiles

/// The options of all commands that send requests, with curl's names.
struct FetchOptions: OptionGroup {
    static var table: OptionTable<Self> {
        OptionTable(
            .operand(
                "url", isRequired: false, repeats: true,
                help: "An http or https URL; several are requested one after another."
            ) { $0.arguments.append($1.text) },
            .value(
                "--url", as: "url", dashed: true, repeats: true,
                help: "Request this URL, before those that are given without an option."
            ) { $0.namedURLs.append($1.text) },
            .value(
                "-r", "--range", as: "range", dashed: true,
                help: "Request only these bytes, such as 0-499 or -500 for the last ones."
            ) { $0.range = RangeOption.range($1.text) },
            .flag("-g", "--globoff", help: "Send [ ] and { } in a URL unchanged.") { $0.takesBracketsAsTheyAre = true },
            .flag("--path-as-is", help: "Keep \"/../\" and \"/./\" in a URL.") { $0.keepsDotSegments = true },
            .group(\.content, "Method and body"),
            .group(\.fields, "Header fields"),
            .group(\.cookies, "Cookies"),
            .group(\.transfer, "Redirects, retries, limits"),
            .group(\.output, "Output"),
            .group(\.trust, "Trust"),
            .group(\.accepted, "Accepted, without effect"))
    }

    static let discussion = """
        Options that have curl's names mean what they mean in curl. A response with any status is a success unless -f or \
        --fail-with-body is given. Exit codes:

        \(ExitStatus.table)
        """

    var arguments: [String] = []
    var namedURLs: [String] = []
    var range: String?
    var takesBracketsAsTheyAre = false
    var keepsDotSegments = false
    var content = ContentOptions()
    var fields = FieldOptions()
    var cookies = CookieOptions()
    var transfer = TransferOptions()
    var output = OutputOptions()
    var trust = TrustOptions()
    var accepted = AcceptedOptions()

    /// As typed.
    var urls: [String] { namedURLs + arguments }

    func validate() throws {
        if urls.isEmpty { throw UsageError("no URL is given: give one, such as http://localhost:8080/") }
        if output.isJSON, let json = urls.first(where: { $0.hasPrefix("{") || $0.hasPrefix("[") || $0.hasPrefix("@") })
        {
            throw UsageError(
                "\"\(json.prefix(100))\" is not a URL, and --json prints the response as JSON; send JSON with -d and "
                    + "-H 'Content-Type: application/json'")
        }
        try InputFile.checkStandardInput(content.inputs + fields.inputs + output.inputs + cookies.files)
        if !fields.sensitiveFields.isEmpty, !output.isVerbose, !transfer.isFollowing {
            throw UsageError(
                "--sensitive hides a field from -v, and with -L keeps it from other origins: give -v or -L")
        }
        if transfer.continueTimeout != nil, !content.hasBody {
            throw UsageError("--expect100-timeout needs a body, and there is none")
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
struct AcceptedOptions: OptionGroup {
    static var table: OptionTable<Self> {
        OptionTable(
            .flag("--http1.1", help: "Speak HTTP/1.1.") { $0.speaksHTTP11 = true },
            .flag("-N", "--no-buffer", help: "Write the body as it arrives.") { $0.isUnbuffered = true },
            .flag("-#", "--progress-bar", help: "Show progress as a bar.") { $0.showsBar = true },
            .flag("-q", "--disable", help: "Read no configuration file.") { $0.readsNoConfiguration = true })
    }

    var speaksHTTP11 = false
    var isUnbuffered = false
    var showsBar = false
    var readsNoConfiguration = false
}
