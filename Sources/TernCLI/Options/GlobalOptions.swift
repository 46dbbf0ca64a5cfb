// SPDX-License-Identifier: Apache-2.0
// Safety: the path is passed to one system call, which copies it.
import TernLibC
import TernFiles
import TernSystem

/// The options that hold for all groups of a run, wherever they are given, as in curl.
struct GlobalOptions: OptionGroup {
    static var table: OptionTable<Self> {
        OptionTable(
            .group(\.messages, "Output"), .group(\.record, "Output"), .group(\.parallel, "Several URLs"),
            .group(\.rate, "Several URLs"))
    }

    var messages = MessageOptions()
    var record = RecordOptions()
    var parallel = ParallelOptions()
    var rate = RateOptions()
}

/// What is written on standard error, with curl's option names.
struct MessageOptions: OptionGroup {
    static var table: OptionTable<Self> {
        OptionTable(
            .toggle("--no-progress-meter", help: "Show no progress.") { $0.hidesProgress = $1 },
            .toggle("-s", "--silent", help: "Show neither progress nor errors.") { $0.isSilent = $1 },
            .toggle("-S", "--show-error", help: "Show errors even with -s.") { $0.showsErrors = $1 },
            .toggle("-v", "--verbose", help: "Show the request and response on standard error.") { $0.isVerbose = $1 },
            .value(
                "--stderr", as: "file",
                help: "Write to this file what would go to standard error; \"-\" is standard output."
            ) { $0.errorFile = $1.given })
    }

    var hidesProgress = false
    var isSilent = false
    /// Nil unless an option says so.
    var showsErrors: Bool?
    var isVerbose = false
    var errorFile: String?

    /// Makes standard error the file of `--stderr`.
    func redirectErrors() throws(CommandFailure) {
        guard let errorFile else { return }
        let file =
            errorFile == "-"
            ? STDOUT_FILENO
            : unsafe ByteText.withPath(errorFile) {
                unsafe open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0o666)
            }
        guard file >= 0, dup2(file, STDERR_FILENO) >= 0 else {
            throw CommandFailure(.unwritable, "--stderr: \(OutputError.last(errorFile))")
        }
        if file != STDOUT_FILENO { close(file) }
    }

    /// Whether errors are shown.
    var tellsErrors: Bool { showsErrors ?? !isSilent }

    var showsProgress: Bool { !isSilent && !isVerbose && !hidesProgress }
}

/// Whether URLs are requested side by side, with curl's option names.
struct ParallelOptions: OptionGroup {
    static var table: OptionTable<Self> {
        OptionTable(
            .toggle(
                "-Z", "--parallel",
                help: """
                    Request several URLs at a time, rather than one after another. Bodies on standard output come in pieces as \
                    they arrive: give -o or -O.
                    """
            ) { $0.isParallel = $1 },
            .value(
                "--parallel-max", as: "number",
                help: "With -Z, how many URLs are requested at a time: 50 unless given, 300 at most; 0 is 50."
            ) { $0.maximum = Int(try $1.read { UInt32($0) }) },
            .toggle(
                "--parallel-immediate",
                help: "With -Z, open connections at once rather than wait for others, which is always the case."
            ) { $0.isImmediate = $1 },
            .toggle("--fail-early", help: "Request no more URLs after the first that fails.") { $0.failsEarly = $1 })
    }

    private static let usualMaximum = 50
    /// As in curl.
    private static let greatestMaximum = 300

    var isParallel = false
    var maximum = 0
    var isImmediate = false
    var failsEarly = false

    /// How many URLs are requested at a time.
    var width: Int {
        if !isParallel { return 1 }
        return min(maximum == 0 ? Self.usualMaximum : min(maximum, Self.greatestMaximum), Self.possibleMaximum)
    }

    /// The number of transfers that have a descriptor for the connection and one for a file, beside those of the process:
    /// the others wait.
    private static let possibleMaximum = max(1, (Descriptor.limit - 24) / 2)
}

/// How often requests begin, with curl's option name.
struct RateOptions: OptionGroup {
    static var table: OptionTable<Self> {
        OptionTable(
            .value(
                "--rate", as: "number/unit",
                help: """
                    The maximum number of requests that begin in a second (5/s), minute (5/m), hour (5/h or 5) or day (5/d), \
                    or in a number of these (1/5s); redirects count.
                    """
            ) { $0.requestRate = try $1.read(RequestRate.init(argument:)) })
    }

    var requestRate: RequestRate?
}
