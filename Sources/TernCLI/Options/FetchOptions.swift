// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernFiles

/// The options of all commands that send requests, with curl's names.
struct FetchOptions: OptionGroup {
    static var table: OptionTable<Self> { OptionTable(urls, fetch(ContentOptions.table)) }

    /// Those of a command that fetches, with what it takes of the method and the body.
    static func fetch(
        _ content: OptionTable<ContentOptions>, _ output: OptionTable<OutputOptions> = OutputOptions.table
    ) -> OptionTable<Self> {
        OptionTable(
            request(content), .group(\.fields, "Header fields", part: FieldOptions.compression),
            .group(\.conditions, "Conditions"), .group(\.output, "Output", part: output),
            .group(\.accepted, "Accepted, without effect"))
    }

    /// Several URLs.
    static var urls: OptionTable<Self> {
        OptionTable(
            .operand(
                "url", isRequired: false, repeats: true,
                help: "An http or https URL; several are requested one after another, or with -Z side by side."
            ) { $0.arguments.append($1.text) },
            .value(
                "--url", as: "url", repeats: true,
                help: "Request this URL, like those that are given without an option."
            ) { $0.arguments.append($1.text) })
    }

    /// One URL.
    static var url: OptionTable<Self> {
        OptionTable(.operand("url", help: "An http or https URL.") { $0.arguments.append($1.text) })
    }

    /// What every command takes that makes requests.
    static func request(_ content: OptionTable<ContentOptions>) -> OptionTable<Self> {
        OptionTable(
            .value(
                "-r", "--range", as: "range",
                help: "Request only these bytes, such as 0-499 or -500 for the last ones."
            ) { $0.range = RangeOption.range($1.text) },
            .toggle(
                "-g", "--globoff",
                help: "Send [ ] and { } in a URL unchanged. Otherwise {a,b} and [1-10] in a URL make several of it."
            ) { $0.takesBracketsAsTheyAre = $1 },
            .value(
                "--url-query", as: "data", repeats: true,
                help: "Add this to the query of each URL, encoded as by --data-urlencode, or as it is behind \"+\"."
            ) {
                let isRaw = $1.text.utf8.first == UInt8(ascii: "+")
                $0.queries.append(isRaw ? .raw(String($1.text.unicodeScalars.dropFirst())) : .encoded($1.text))
            },
            .value(
                "--request-target", as: "target",
                help: "Send this in place of the URL's path and query, such as \"*\" with -X OPTIONS."
            ) { $0.requestTarget = $1.given },
            .value("--proto-default", as: "scheme", help: "The scheme of URLs that have none: http or https.") {
                $0.defaultScheme = $1.text.lowercased()
            },
            .configuration(
                "-K", "--config",
                help: "Read options from this file, one on a line, with or without dashes; \"-\" is standard input.",
                lines: { try ConfigurationLine.all(in: InputFile.read($0, for: "-K"), of: $0) }
            ) { $0.configurations.append($1.text) },
            .toggle("--path-as-is", help: "Keep \"/../\" and \"/./\" in a URL.") { $0.keepsDotSegments = $1 },
            .group(\.content, "Method and body", part: content),
            .group(\.fields, "Header fields"),
            .group(\.cookies, "Cookies"),
            .group(\.transfer, "Redirects, retries, limits"),
            .group(\.trust, "Trust"))
    }

    var arguments: [String] = []
    var range: String?
    var queries: [DataPart] = []
    var requestTarget: String?
    var defaultScheme: String?
    var configurations: [String] = []
    var takesBracketsAsTheyAre = false
    var keepsDotSegments = false
    var content = ContentOptions()
    var fields = FieldOptions()
    var cookies = CookieOptions()
    var transfer = TransferOptions()
    var conditions = ConditionOptions()
    var output = OutputOptions()
    var trust = TrustOptions()
    var accepted = AcceptedOptions()
    /// The file of a download, which is not what `output` names; nil for other commands.
    var file: DownloadFileOptions?

    /// As typed.
    var urls: [String] { arguments }

    /// The files it reads.
    var inputs: [String] {
        content.inputs + fields.inputs + output.inputs + conditions.inputs + cookies.files
            + queries.compactMap(\.file) + configurations
    }

    func validate() throws {
        if urls.isEmpty {
            let hint =
                content.json.isEmpty ? "" : "; --json sends its value, and --report-json prints the response as JSON"
            throw UsageError("no URL is given: give one, such as http://localhost:8080/\(hint)")
        }
        if let defaultScheme, !["http", "https"].contains(defaultScheme) {
            throw CommandFailure(.failure, "--proto-default \(defaultScheme): tern supports http and https")
        }
        if range != nil, output.resumption != nil { throw UsageError("-r and -C request two parts: give one of them") }
        if output.resumption != nil, content.hasBody {
            throw UsageError("-C resumes a download; an upload begins at its start")
        }
    }

    /// As in curl, what is given more often than there are URLs is left out, which is told.
    func tellSpareFiles(isSilent: Bool) {
        if isSilent { return }
        let spare = [("-T", content.uploads.count), ("-o or -O", output.outputs.count)].filter { $0.1 > urls.count }
        for (option, _) in spare {
            StandardStreams.tell("tern: warning: \(option) is given more often than there are URLs")
        }
    }

    var retryPolicy: RetryPolicy? {
        if file != nil { return transfer.retryPolicy(continues: true, refused: 300..<600) }
        return transfer.retryPolicy(
            continues: output.resumption == .lengthOfFile,
            refused: output.fails || output.failsWithBody ? 400..<600 : nil)
    }

    /// The URLs that its arguments stand for, in order.
    var targets: TargetSequence { TargetSequence(self) }

    /// As in curl, files about TLS are read where a URL may need them: the options without those that none needs.
    ///
    /// - Throws: a usage error for checks that plain http cannot have.
    func withNeededTrust() throws -> Self {
        if trust == TrustOptions() || transfer.isFollowing || transfer.hsts != nil { return self }
        var first: RequestedURL?
        for case .success(let target) in targets {
            if target.url.isSecure { return self }
            first = first ?? target.url
        }
        if let first { try trust.check(first) }
        var options = self
        options.trust = TrustOptions()
        return options
    }

    fileprivate func target(_ text: String) throws -> RequestedURL {
        let typed = TypedURL(text)
        try typed.check()
        let whole = keepsDotSegments ? typed.text : typed.withoutDotSegments
        do {
            let target = try RequestedURL(whole, defaultScheme: defaultScheme ?? "http")
            try transfer.schemes.check(target)
            return target
        } catch let failure as CommandFailure {
            // "http:/v1.41/info", as older pages of Docker have it, where no host is connected to.
            guard transfer.unixSocket ?? transfer.abstractUnixSocket != nil, text.hasPrefix("http:/"),
                !text.hasPrefix("http://")
            else { throw failure }
            return try RequestedURL("http://localhost" + text.dropFirst(5))
        }
    }
}

/// One URL of the command line.
struct TypedTarget {
    let url: RequestedURL
    /// As typed, with its own word in place of each pattern.
    let typed: String
    /// The position of its argument among the URLs.
    let place: Int
    /// What its patterns stand for.
    let words: [String]
    /// The file of `-T`; nil for none.
    let upload: String?
}

/// The URLs that the arguments of a group stand for, each once for each file that its `-T` stands for, and made when it is
/// asked for: patterns may stand for many. What is wrong with one does not end the sequence.
struct TargetSequence: Sequence, IteratorProtocol {
    /// What the argument at ``place`` stands for, and its `-T`.
    private struct Argument {
        /// Nil for a URL without patterns.
        let typed: String?
        let urls: URLPattern
        let uploads: URLPattern?
        /// The next of its transfers: all URLs with the first file, then with the second.
        var index = 0

        var count: Int { urls.count * (uploads?.count ?? 1) }
    }

    private let options: FetchOptions
    private let urls: [String]
    private var place = 0
    private var argument: Argument?

    fileprivate init(_ options: FetchOptions) {
        self.options = options
        urls = options.urls
    }

    mutating func next() -> Result<TypedTarget, any Error>? {
        while true {
            if let target = nextOfArgument() { return target }
            guard place < urls.count else { return nil }
            do throws(CommandFailure) {
                argument = try read(urls[place])
            } catch {
                place += 1
                return .failure(error)
            }
        }
    }

    private func read(_ url: String) throws(CommandFailure) -> Argument {
        let typed = URL.withoutBlanksAround(url) ?? url
        let text = RequestedURL.escaped(typed)
        return Argument(
            typed: isPlain(text) ? typed : nil, urls: try pattern(text),
            uploads: try options.content.upload(for: place).map { file throws(CommandFailure) in try pattern(file) })
    }

    private func isPlain(_ text: String) -> Bool { options.takesBracketsAsTheyAre || URLPattern.isPlain(text) }

    private func pattern(_ text: String) throws(CommandFailure) -> URLPattern {
        isPlain(text) ? URLPattern(plain: text) : try URLPattern(text)
    }

    private mutating func nextOfArgument() -> Result<TypedTarget, any Error>? {
        guard let current = argument else { return nil }
        guard current.index < current.count else {
            argument = nil
            place += 1
            return nil
        }
        argument?.index += 1
        let (file, url) = current.index.quotientAndRemainder(dividingBy: current.urls.count)
        let (text, words) = current.urls[url]
        return Result {
            TypedTarget(
                url: try options.target(text), typed: current.typed ?? text, place: place, words: words,
                upload: current.uploads?[file].text)
        }
    }
}

/// Options of curl for what tern always does. They exist so that commands written for curl run.
struct AcceptedOptions: OptionGroup {
    static var table: OptionTable<Self> {
        OptionTable(
            .flag("--http1.1", help: "Speak HTTP/1.1.") { $0.speaksHTTP11 = true },
            .flag("--http2", help: "Speak HTTP/1.1 nevertheless, which -v says.") { $0.otherVersion = "--http2" },
            .flag("-0", "--http1.0", help: "Speak HTTP/1.1 nevertheless, which -v says.") {
                $0.otherVersion = "--http1.0"
            },
            .toggle("--tcp-nodelay", help: "Send small packets at once.") { $0.sendsAtOnce = $1 },
            .toggle("--no-npn", help: "Omit an obsolete extension of TLS.") { $0.omitsNPN = $1 },
            .toggle("--styled-output", help: "Print heads in bold, or not.") { $0.stylesOutput = $1 },
            .toggle("-N", "--no-buffer", help: "Write the body as it arrives.") { $0.isUnbuffered = $1 },
            .toggle("-#", "--progress-bar", help: "Show progress as a bar.") { $0.showsBar = $1 },
            .toggle("-q", "--disable", help: "Read no configuration file.") { $0.readsNoConfiguration = $1 })
    }

    var speaksHTTP11 = false
    /// The option that asks for another version of HTTP.
    var otherVersion: String?
    var sendsAtOnce = false
    var omitsNPN = false
    var stylesOutput = false
    var isUnbuffered = false
    var showsBar = false
    var readsNoConfiguration = false
}
