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
                help: "An http or https URL; several are requested one after another, or with -Z side by side."
            ) { $0.arguments.append($1.text) },
            .value(
                "--url", as: "url", dashed: true, repeats: true,
                help: "Request this URL, before those that are given without an option."
            ) { $0.namedURLs.append($1.text) },
            .value(
                "-r", "--range", as: "range", dashed: true,
                help: "Request only these bytes, such as 0-499 or -500 for the last ones."
            ) { $0.range = RangeOption.range($1.text) },
            .toggle(
                "-g", "--globoff",
                help: "Send [ ] and { } in a URL unchanged. Otherwise {a,b} and [1-10] in a URL make several of it."
            ) { $0.takesBracketsAsTheyAre = $1 },
            .value(
                "--url-query", as: "data", dashed: true, repeats: true,
                help: "Add this to the query of each URL, encoded as by --data-urlencode, or as it is behind \"+\"."
            ) {
                let isRaw = $1.text.utf8.first == UInt8(ascii: "+")
                $0.queries.append(isRaw ? .raw(String($1.text.unicodeScalars.dropFirst())) : .encoded($1.text))
            },
            .value(
                "--request-target", as: "target",
                help: "Send this in place of the URL's path and query, such as \"*\" with -X OPTIONS."
            ) { $0.requestTarget = $1.text },
            .value("--proto-default", as: "scheme", help: "The scheme of URLs that have none: http or https.") {
                $0.defaultScheme = $1.text.lowercased()
            },
            .configuration(
                "-K", "--config",
                help: "Read options from this file, one on a line, with or without dashes; \"-\" is standard input.",
                lines: { try ConfigurationLine.all(in: InputFile.read($0, for: "-K"), of: $0) }
            ) { $0.configurations.append($1.text) },
            .toggle("--path-as-is", help: "Keep \"/../\" and \"/./\" in a URL.") { $0.keepsDotSegments = $1 },
            .group(\.content, "Method and body"),
            .group(\.fields, "Header fields"),
            .group(\.cookies, "Cookies"),
            .group(\.transfer, "Redirects, retries, limits"),
            .group(\.conditions, "Conditions"),
            .group(\.output, "Output"),
            .group(\.trust, "Trust"),
            .group(\.accepted, "Accepted, without effect"))
    }

    var arguments: [String] = []
    var namedURLs: [String] = []
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

    /// As typed.
    var urls: [String] { namedURLs + arguments }

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
        if transfer.continueTimeout != nil, !content.hasBody {
            throw UsageError("--expect100-timeout needs a body, and there is none")
        }
    }

    /// The URLs that its arguments stand for, in order.
    var targets: TargetSequence { TargetSequence(self) }

    /// - Throws: a usage error for options without effect.
    func checkTrust() throws {
        guard trust.isGiven, !transfer.isFollowing, transfer.hsts == nil else { return }
        var first: RequestedURL?
        for case .success(let target) in targets {
            if target.url.isSecure { return }
            first = first ?? target.url
        }
        if let first { try trust.check(first) }
    }

    fileprivate func target(_ text: String) throws -> RequestedURL {
        let typed = TypedURL(text)
        try typed.check()
        let target = try RequestedURL(
            keepsDotSegments ? text : typed.withoutDotSegments, defaultScheme: defaultScheme ?? "http")
        try transfer.schemes.check(target)
        return target
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
}

/// The URLs that the arguments of a group stand for, each made when it is asked for: patterns may stand for many. What is
/// wrong with one does not end the sequence.
struct TargetSequence: Sequence, IteratorProtocol {
    private let options: FetchOptions
    private let urls: [String]
    private var place = 0
    /// The pattern of the URL at ``place``, and the next of its URLs.
    private var pattern: (URLPattern, index: Int)?

    fileprivate init(_ options: FetchOptions) {
        self.options = options
        urls = options.urls
    }

    mutating func next() -> Result<TypedTarget, any Error>? {
        while pattern == nil {
            guard place < urls.count else { return nil }
            let text = RequestedURL.escaped(urls[place])
            if options.takesBracketsAsTheyAre || URLPattern.isPlain(text) {
                defer { place += 1 }
                return Result { try target(text, typed: urls[place], []) }
            }
            do throws(CommandFailure) {
                let made = try URLPattern(text)
                if made.count > 0 { pattern = (made, 0) } else { place += 1 }
            } catch {
                place += 1
                return .failure(error)
            }
        }
        guard let (made, index) = pattern else { return nil }
        defer {
            pattern = index + 1 < made.count ? (made, index + 1) : nil
            if pattern == nil { place += 1 }
        }
        let (text, words) = made[index]
        return Result { try target(text, typed: text, words) }
    }

    private func target(_ text: String, typed: String, _ words: [String]) throws -> TypedTarget {
        TypedTarget(url: try options.target(text), typed: typed, place: place, words: words)
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
            .toggle("--suppress-connect-headers", help: "Omit the heads of proxies.") { $0.omitsProxyHeads = $1 },
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
    var omitsProxyHeads = false
    var isUnbuffered = false
    var showsBar = false
    var readsNoConfiguration = false
}
