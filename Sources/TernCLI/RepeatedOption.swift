// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// Finds a single-valued option that is given twice: the parser would silently use the last one.
enum RepeatedOption {
    /// The options of a command that take a value.
    private struct Names {
        /// By their other names.
        let aliases: [String: String]
        let single: Set<String>
        let repeated: Set<String>
    }

    private static let trust: Set = ["cacert", "cert", "key", "key-log"]

    private static let fetching = Names(
        aliases: [
            "A": "user-agent", "D": "dump-header", "E": "cert", "F": "form", "H": "header", "T": "upload-file",
            "X": "request", "r": "range",
            "b": "cookie", "c": "cookie-jar", "d": "data", "e": "referer", "m": "max-time", "o": "output", "u": "user",
            "w": "write-out",
        ],
        single: trust.union([
            "connect-timeout", "max-time", "max-filesize", "max-redirs", "request", "user-agent", "referer", "user",
            "dump-header", "write-out", "retry", "retry-delay", "retry-max-time", "range", "proto", "proto-redir",
            "tls-max", "output-dir", "expect100-timeout", "unix-socket",
            "abstract-unix-socket", "cookie-jar", "oauth2-bearer", "max-event-size",
        ]),
        repeated: [
            "header", "upload-file", "output", "pin", "sensitive", "data", "data-ascii", "data-binary", "data-raw",
            "data-urlencode", "form", "form-string", "url", "cookie",
        ])

    private static let downloading = Names(
        aliases: fetching.aliases.merging(["C": "continue-at"]) { $1 },
        single: fetching.single.union(["output", "continue-at", "range", "sha256"]),
        repeated: fetching.repeated.subtracting(["output"]))

    private static let others = Names(
        aliases: ["E": "cert", "anchors": "cacert", "c": "connections", "d": "duration"],
        single: trust.union([
            "connections", "duration", "threads", "chain", "host", "policy", "at", "profile", "batch", "tls-max",
        ]),
        repeated: ["pin", "crl"])

    /// Whether the next argument is the value of this one, in any command.
    static func isFollowedByValue(_ argument: String) -> Bool {
        [fetching, downloading, others].contains { option(in: argument, $0)?.isFollowedByValue == true }
    }

    /// The first such option, as typed.
    static func first(in arguments: some Sequence<String>, of command: any ParsableCommand.Type) -> String? {
        let names =
            switch command {
            case is any FetchCommand.Type, is UploadCommand.Type, is EventsCommand.Type: fetching
            case is DownloadCommand.Type: downloading
            default: others
            }
        var seen: Set<String> = []
        var isValue = false
        for argument in arguments {
            if isValue {
                isValue = false
                continue
            }
            if argument == "--" { break }
            guard let option = option(in: argument, names) else { continue }
            isValue = option.isFollowedByValue
            if names.single.contains(option.name), !seen.insert(option.name).inserted { return option.spelling }
        }
        return nil
    }

    private struct Option {
        let name: String
        let spelling: String
        let isFollowedByValue: Bool
    }

    private static func option(in argument: String, _ names: Names) -> Option? {
        if argument.hasPrefix("--") {
            let spelling = argument.prefix { $0 != "=" }
            let name = names.aliases[String(spelling.dropFirst(2))] ?? String(spelling.dropFirst(2))
            guard names.single.contains(name) || names.repeated.contains(name) else { return nil }
            return Option(name: name, spelling: String(spelling), isFollowedByValue: spelling.count == argument.count)
        }
        guard argument.hasPrefix("-") else { return nil }
        // Of combined short options only the last one takes a value, which may be joined to it.
        for (index, letter) in argument.enumerated().dropFirst() {
            if let name = names.aliases[String(letter)] {
                return Option(
                    name: name, spelling: "-" + String(letter), isFollowedByValue: index == argument.count - 1)
            }
        }
        return nil
    }
}

/// Separates values from the short options that they are joined to, as in `-dname=value` and `-sSLofile`. The parser
/// would read the first as an option with a long name.
enum JoinedValue {
    /// The short options that take a value in every command.
    private static let letters = Set("ACDEFHTXbcdemoruw")

    static func separated(_ arguments: [String]) -> [String] {
        var result: [String] = []
        var isValue = false
        for (index, argument) in arguments.enumerated() {
            if !isValue, argument == "--" { return result + arguments[index...] }
            if isValue {
                isValue = false
                result.append(argument)
            } else if let (option, value) = split(argument) {
                result += value.map { [option, $0] } ?? [option]
                isValue = value == nil
            } else {
                isValue = RepeatedOption.isFollowedByValue(argument)
                result.append(argument)
            }
        }
        return result
    }

    /// The flags, the option that takes a value, and the value joined to it; nil for every other argument.
    private static func split(_ argument: String) -> (option: String, value: String?)? {
        guard argument.hasPrefix("-"), !argument.hasPrefix("--") else { return nil }
        guard let index = argument.indices.dropFirst().first(where: { letters.contains(argument[$0]) }) else {
            return nil
        }
        let value = argument[argument.index(after: index)...]
        // The parser reads "-o=file" and "-m=1" as "-o file"; curl reads "=file" as the value.
        return (String(argument[...index]), value.isEmpty ? nil : String(value))
    }
}
