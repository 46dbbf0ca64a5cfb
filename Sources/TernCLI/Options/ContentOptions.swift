// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import FoundationEssentials

/// The method and the body, with curl's option names.
struct ContentOptions: ParsableArguments {
    @Option(
        name: [.customShort("X", allowingJoined: true), .customLong("request")],
        help: ArgumentHelp(
            "Send this method (\"tern request\" only). A redirect may still turn it into GET.", valueName: "method"))
    var method: String?

    @Flag(name: [.customShort("I"), .customLong("head")], help: "Send HEAD, and show the head.")
    var isHead = false

    @Option(
        name: [.customShort("d", allowingJoined: true), .customLong("data"), .customLong("data-ascii")],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Send this as a form; repeat to join with \"&\". \"@file\" is a file without line ends, \"@-\" standard input.",
            valueName: "data"), transform: DataPart.text)
    var text: [DataPart] = []

    @Option(
        name: .customLong("data-binary"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("As -d, but a file is unchanged.", valueName: "data"), transform: DataPart.binary)
    var binary: [DataPart] = []

    @Option(
        name: .customLong("data-raw"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("As -d, but without special meaning of \"@\".", valueName: "data"), transform: DataPart.raw)
    var raw: [DataPart] = []

    @Option(
        name: .customLong("data-urlencode"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "As -d, percent-encoded: \"content\", \"=content\", \"name=content\", \"@file\" or \"name@file\".",
            valueName: "data"), transform: DataPart.encoded)
    var encoded: [DataPart] = []

    @Option(
        name: [.customShort("F", allowingJoined: true), .customLong("form")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            Send a form of parts: "name=content", "name=@file" for a file, "name=<file" for a text from a file; "-" is standard \
            input. ";type=" and ";filename=" may follow. Files are read as they are sent.
            """, valueName: "name=content"), transform: FormOption.form)
    var formParts: [FormOption] = []

    @Option(
        name: .customLong("form-string"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "As -F, but without special meaning of \"@\", \"<\" and \";\".", valueName: "name=content"),
        transform: FormOption.string)
    var formStrings: [FormOption] = []

    @Flag(name: [.customShort("G"), .customLong("get")], help: "Put the data of -d into the URL's query.")
    var isQuery = false

    @Option(
        name: [.customShort("T", allowingJoined: true), .customLong("upload-file")],
        help: ArgumentHelp(
            "Send this file, with PUT by default; \"-\" and \".\" are standard input. A URL that ends in \"/\" gets its name. "
                + "Give one for each URL.", valueName: "file"),
        // In curl "." also reads the response while it waits for input, which tern always does.
        transform: { $0 == "." ? "-" : $0 })
    var uploads: [String] = []

    var parts: [DataPart] { text + binary + raw + encoded }

    var form: [FormOption] { formParts + formStrings }

    /// Whether it is more than a GET.
    var givesMethod: Bool { method != nil || isHead || hasBody }

    var hasBody: Bool { !uploads.isEmpty || !form.isEmpty || !parts.isEmpty && !isQuery }

    /// The files it reads.
    var inputs: [String] { parts.compactMap(\.file) + form.compactMap(\.file) + uploads }

    func validate() throws {
        if !parts.isEmpty, !uploads.isEmpty { throw ValidationError("-d and -T are two bodies: give one of them") }
        if !form.isEmpty, !parts.isEmpty || !uploads.isEmpty {
            throw ValidationError("-F and \(parts.isEmpty ? "-T" : "-d") are two bodies: give one of them")
        }
        if isQuery, parts.isEmpty { throw ValidationError("-G puts the data of -d into the URL, and needs -d") }
        if uploads.contains("") { throw ValidationError("-T \"\": give a file, or \"-\" for standard input") }
    }
}

/// The method to send, by curl's rules, if command and options agree on it.
struct MethodChoice {
    let method: String
    /// HEAD was requested in order to see the head.
    let showsHead: Bool

    /// - Parameter command: the method of the command; nil leaves it to the options.
    init(command: String?, _ options: ContentOptions) throws {
        let hasBody = options.hasBody
        if let command {
            let name = "tern " + command.lowercased()
            if options.method != nil {
                throw ValidationError("\(name) sends \(command): -X is for \"tern request\"")
            }
            if options.isHead, command != "HEAD" {
                throw ValidationError("\(name) sends \(command), and -I sends HEAD: use \"tern head\"")
            }
            if hasBody, command == "GET" || command == "HEAD" {
                throw ValidationError(
                    "\(name) sends no body: \"tern post\", \"tern put\" and \"tern request\" do, and -G puts -d into the URL"
                )
            }
        }
        if options.isHead, options.method != nil { throw ValidationError("-I sends HEAD: give -I or -X, not both") }
        if options.isHead, hasBody {
            throw ValidationError("-I sends no body: omit it, or give -G to put -d into the URL")
        }
        if options.method?.isEmpty == true { throw ValidationError("-X: the method is empty") }
        showsHead = options.isHead || command == "HEAD"
        method =
            options.method ?? command
            ?? (options.isHead ? "HEAD" : !hasBody ? "GET" : options.uploads.isEmpty ? "POST" : "PUT")
    }
}
