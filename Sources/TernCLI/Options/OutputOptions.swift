// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernFiles

/// The output of the response, with curl's option names.
struct OutputOptions: OptionGroup {
    static var table: OptionTable<Self> { OptionTable(files, continuation, others) }

    /// For what begins at its start.
    static var withoutContinuation: OptionTable<Self> { OptionTable(files, others) }

    private static var others: OptionTable<Self> { OptionTable(head, dump, failures, writeOut, json) }

    static var files: OptionTable<Self> {
        OptionTable(
            .value(
                "-o", "--output", as: "file", repeats: true,
                help: """
                    Write the body to this file, which is replaced when the body is complete, and unchanged otherwise; where none is, what has \
                    come of a body that breaks off makes one. Links \
                    are followed, devices and FIFOs written directly; "-" is standard output. Give one for each URL; "#1" is what \
                    the first pattern of the URL stands for.
                    """
            ) { $0.outputs.append(.file($1.text)) },
            .toggle(
                "-O", "--remote-name",
                help:
                    "Write the body to a file named by the URL's last segment, in the current folder; give one for each URL."
            ) { $0.outputs.append($1 ? .remoteName : .standardOutput) },
            .toggle(
                "-J", "--remote-header-name",
                help: "With -O, name the file as the server proposes (Content-Disposition); such a file replaces none."
            ) { $0.takesProposal = $1 },
            .toggle("-R", "--remote-time", help: "Give the file the time of the response's Last-Modified.") {
                $0.keepsTime = $1
            },
            .toggle("--no-clobber", help: "Replace no file: add a number to the name of the new one, as in file.1.") {
                $0.keepsExisting = $1
            },
            .toggle("--remove-on-error", help: "Leave no file if a body breaks off.") {
                $0.removesOnError = $1
            },
            .toggle("--remote-name-all", help: "Use -O for every URL.") { $0.namesAll = $1 },
            .value("--output-dir", as: "folder", help: "Put the files of -o and -O into this folder.") {
                $0.folder = $1.given
            },
            .toggle("--create-dirs", help: "Create the folders of -o and --output-dir.") { $0.createsFolders = $1 })
    }

    static var continuation: OptionTable<Self> {
        OptionTable(
            .value(
                "-C", "--continue-at", as: "offset",
                help: """
                    Request the bytes from this offset on, and add them to the file of -o or -O as they arrive; "-" is the length of \
                    the file.
                    """
            ) { $0.resumption = try $1.read(Resumption.init(argument:)) })
    }

    static var head: OptionTable<Self> {
        OptionTable(
            .toggle("-i", "--include", "--show-headers", help: "Write the head before the body.") {
                $0.includesHead = $1
            })
    }

    static var dump: OptionTable<Self> {
        OptionTable(
            .value("-D", "--dump-header", as: "file", help: "Write all heads to this file; \"-\" is standard output.") {
                $0.headFile = $1.text
            },
            .toggle(
                "--suppress-connect-headers", help: "Leave out the heads of proxies' answers to CONNECT with -i and -D."
            ) { $0.omitsProxyHeads = $1 })
    }

    static var failures: OptionTable<Self> {
        OptionTable(
            .toggle("-f", "--fail", help: "Fail, and write no body, if the status is 400 or more.") { $0.fails = $1 },
            .toggle("--fail-with-body", help: "Fail if the status is 400 or more, and write the body.") {
                $0.failsWithBody = $1
            })
    }

    static var writeOut: OptionTable<Self> {
        OptionTable(
            .value(
                "-w", "--write-out", as: "format",
                help: """
                    Print this after each URL, with variables such as %{http_code}, %{time_total}, %header{name} and %{json}; \
                    the rest goes to the file of %output{file}, or %output{>>file} at its end; "@file" reads the format.
                    """
            ) { $0.writeOut = $1.text })
    }

    static var json: OptionTable<Self> {
        OptionTable(
            .toggle(
                "--report-json",
                help: "Print one JSON object with everything for each URL; a body above 64 MB is an error."
            ) { $0.isJSON = $1 })
    }

    /// The argument of `-C`.
    enum Resumption: Equatable {
        case lengthOfFile
        case offset(Int64)

        init?(argument: String) {
            if argument == "-" {
                self = .lengthOfFile
            } else if let offset = Int64(argument), offset >= 0, argument.utf8.first != UInt8(ascii: "+") {
                self = .offset(offset)
            } else {
                return nil
            }
        }
    }

    /// The output of the body of one URL.
    enum Output: Equatable {
        case file(String)
        /// `-O`
        case remoteName
        /// `--no-remote-name`
        case standardOutput
    }

    /// Those of the first URLs.
    var outputs: [Output] = []
    var takesProposal = false
    var resumption: Resumption?
    var keepsTime = false
    var keepsExisting = false
    var removesOnError = false
    var namesAll = false
    var folder: String?
    var createsFolders = false
    var includesHead = false
    var headFile: String?
    var omitsProxyHeads = false
    var fails = false
    var failsWithBody = false
    var writeOut: String?
    var isJSON = false

    /// The files it reads.
    var inputs: [String] { writeOut.flatMap { $0.hasPrefix("@") ? String($0.dropFirst()) : nil }.map { [$0] } ?? [] }

    func validate() throws {
        if fails, failsWithBody { throw UsageError("-f writes no body: give -f or --fail-with-body, not both") }
        if takesProposal, includesHead {
            throw UsageError("-i begins the file before the server has named it (-J): give one of them")
        }
        let notContinued = [
            ("-J", takesProposal), ("--no-clobber", keepsExisting), ("--remove-on-error", removesOnError),
        ]
        if resumption != nil, let other = notContinued.first(where: \.1) {
            throw UsageError("-C keeps the file that exists, which \(other.0) does not: give one of them")
        }
        guard isJSON else { return }
        let others = [
            ("-o", outputs.contains { $0 != .remoteName }), ("-O", outputs.contains(.remoteName)),
            ("--remote-name-all", namesAll), ("-i", includesHead),
            ("-w", writeOut != nil), ("-D -", headFile == "-"), ("-C", resumption != nil),
        ]
        if let other = others.first(where: \.1) {
            throw UsageError("--report-json contains everything: give --report-json or \(other.0), not both")
        }
    }

    /// The output of a URL's body; nil is standard output.
    func path(for target: TypedTarget) throws -> String? {
        let (name, option): (String?, String) =
            switch output(for: target.place) {
            case .file(let name): (URLPattern.replacing(target.words, in: name), "-o")
            case .remoteName: (try Self.remoteName(of: target.url, typed: target.typed), "-O")
            case .standardOutput: (nil, "")
            }
        guard let path = name.map(placed) else { return nil }
        if createsFolders { try Self.makeFolder(of: path) }
        do throws(OutputError) {
            if !isJSON { _ = try BodySink(path: path) }
        } catch {
            throw CommandFailure(.unwritable, "\(option): \(error)")
        }
        return path
    }

    /// - Parameter place: the position of a URL.
    private func output(for place: Int) -> Output {
        place < outputs.count ? outputs[place] : namesAll ? .remoteName : .standardOutput
    }

    /// How the file of a URL is written.
    ///
    /// - Parameter place: the position of the URL.
    func fileRules(for place: Int, isSilent: Bool) -> FileRules {
        FileRules(
            existing: resumption != nil ? .append : keepsExisting ? .number : .replace,
            takesProposal: takesProposal && output(for: place) == .remoteName, keepsTime: keepsTime,
            removesOnError: removesOnError, isSilent: isSilent)
    }

    /// The offset from which the body is requested; nil for the whole.
    func offset(in path: String?) throws -> Int64? {
        switch resumption {
        case nil, .offset(0): return nil
        case .offset(let offset): return offset
        case .lengthOfFile:
            guard let path, let status = FileStatus(of: path) else { return nil }
            guard status.kind == .regular else {
                throw UsageError("-C - continues a file, and \(path) is none: give an offset")
            }
            return status.length > 0 ? status.length : nil
        }
    }

    /// As in curl, a path that begins with a slash is also put into the folder.
    private func placed(_ name: String) -> String {
        guard let folder, name != "-" else { return name }
        return folder.hasSuffix("/") ? folder + name : folder + "/" + name
    }

    private static func makeFolder(of path: String) throws {
        do {
            try FilePath.createFolder(FilePath.folder(of: path))
        } catch {
            throw CommandFailure(.unwritable, "--create-dirs: cannot make the folder \(FilePath.folder(of: path))")
        }
    }

    func headDump() throws -> HeadDump? {
        do throws(OutputError) {
            return try headFile.map { path throws(OutputError) in try HeadDump(path: path) }
        } catch {
            throw CommandFailure(.unwritable, "-D: \(error)")
        }
    }

    /// As in curl, the bytes of the last segment as typed, with its escapes.
    private static func remoteName(of target: RequestedURL, typed url: String) throws -> String {
        let path = url.prefix { $0 != "?" && $0 != "#" }.split(separator: "/")
        guard !target.lastSegment.isEmpty, let name = path.last, name != ".", name != ".." else {
            throw UsageError("-O: the URL \(target.text.prefix(200)) does not end in a file name: give -o")
        }
        // Only "-o -" means standard output.
        return name == "-" ? "./-" : String(name)
    }
}
