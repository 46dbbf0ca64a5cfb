// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// The method and the body, with curl's option names.
struct ContentOptions: OptionGroup {
    static var table: OptionTable<Self> { OptionTable(method, head, data, upload) }

    static var method: OptionTable<Self> {
        OptionTable(
            .value(
                "-X", "--request", as: "method",
                help: "Send this method, to the targets of redirects, too."
            ) { $0.method = $1.given })
    }

    static var head: OptionTable<Self> {
        OptionTable(
            .toggle("-I", "--head", help: "Send HEAD, and show the head.") { $0.isHead = $1 })
    }

    static var data: OptionTable<Self> {
        OptionTable(
            .value(
                "-d", "--data", "--data-ascii", as: "data", repeats: true,
                help:
                    "Send this as a form; repeat to join with \"&\". \"@file\" is a file without line ends, \"@-\" standard input."
            ) { $0.text.append(DataPart.text($1.text)) },
            .value("--data-binary", as: "data", repeats: true, help: "As -d, but a file is unchanged.") {
                $0.binary.append(DataPart.binary($1.text))
            },
            .value(
                "--json", as: "data", repeats: true,
                help: """
                    Send this JSON: as --data-binary, with Content-Type and Accept application/json; repeated values are joined \
                    as they are.
                    """
            ) { $0.json.append(DataPart.json($1.text)) },
            .value(
                "--data-raw", as: "data", repeats: true,
                help: "As -d, but without special meaning of \"@\"."
            ) { $0.raw.append(DataPart.raw($1.text)) },
            .value(
                "--data-urlencode", as: "data", repeats: true,
                help: "As -d, percent-encoded: \"content\", \"=content\", \"name=content\", \"@file\" or \"name@file\"."
            ) { $0.encoded.append(DataPart.encoded($1.text)) },
            .value(
                "-F", "--form", as: "name=content", repeats: true,
                help: """
                    Send a form of parts: "name=content", "name=@file" for a file, "name=<file" for a text from a file; "-" is standard \
                    input. ";type=" and ";filename=" may follow. Files are read as they are sent.
                    """
            ) { $0.formParts += try FormOption.form($1.text) },
            .value(
                "--form-string", as: "name=content", repeats: true,
                help: "As -F, but without special meaning of \"@\", \"<\" and \";\"."
            ) { $0.formStrings.append(try FormOption.string($1.text)) },
            .toggle("-G", "--get", help: "Put the data of -d into the URL's query.") { $0.isQuery = $1 })
    }

    static var upload: OptionTable<Self> {
        OptionTable(
            .value(
                "-T", "--upload-file", as: "file", repeats: true,
                help:
                    "Send this file, with PUT by default; \"-\" and \".\" are standard input. A URL that ends in \"/\" gets its name. "
                    + "Give one for each URL; {a,b} and [1-10] make several of it."
                    // In curl "." also reads the response while it waits for input, which tern always does.
            ) { $0.uploads.append($1.text == "." ? "-" : $1.text) })
    }

    var method: String?
    var isHead = false
    var text: [DataPart] = []
    var binary: [DataPart] = []
    var json: [DataPart] = []
    var raw: [DataPart] = []
    var encoded: [DataPart] = []
    var formParts: [FormOption] = []
    var formStrings: [FormOption] = []
    var isQuery = false
    var uploads: [String] = []

    /// An empty name stands for no file.
    var hasUpload: Bool { uploads.contains { !$0.isEmpty } }

    /// - Parameter place: the position of a URL.
    func upload(for place: Int) -> String? {
        uploads.indices.contains(place) && !uploads[place].isEmpty ? uploads[place] : nil
    }

    var parts: [DataPart] { text + binary + json + raw + encoded }

    var form: [FormOption] { formParts + formStrings }

    var hasBody: Bool { hasUpload || !form.isEmpty || !parts.isEmpty && !isQuery }

    /// Whether the body is that of a POST unless a method is given: data or a form.
    var hasPostBody: Bool { hasBody && !hasUpload }

    /// The files it reads.
    var inputs: [String] { parts.compactMap(\.file) + form.compactMap(\.file) + uploads }

    func validate() throws {
        if !parts.isEmpty, hasUpload { throw UsageError("-d and -T are two bodies: give one of them") }
        if isQuery, !form.isEmpty { throw UsageError("-G puts data into the URL, and -F is a body: give one of them") }
        if !form.isEmpty, !parts.isEmpty || hasUpload {
            throw UsageError("-F and \(parts.isEmpty ? "-T" : "-d") are two bodies: give one of them")
        }
    }
}

/// The method to send, by curl's rules, if command and options agree on it.
struct MethodChoice {
    private let given: String?
    private let isHead: Bool
    /// Whether `-d` or `-F` is sent.
    private let hasContent: Bool

    /// - Parameter command: the method of the command; nil leaves it to the options.
    init(command: String?, _ options: ContentOptions) throws {
        let hasBody = options.hasBody
        if options.isHead, hasBody {
            throw UsageError("-I sends no body: omit it, or give -G to put -d into the URL")
        }
        given = options.method ?? command
        isHead = options.isHead
        hasContent = options.hasPostBody
    }

    /// - Parameter hasUpload: whether the request has a file of `-T`.
    func method(hasUpload: Bool) -> String {
        given ?? (isHead ? "HEAD" : hasUpload ? "PUT" : hasContent ? "POST" : "GET")
    }
}
