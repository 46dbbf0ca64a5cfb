// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// What to do about an option that a command does not have.
enum Advice {
    private static let proxies = "tern does not support proxies"
    private static let schemes =
        "tern authenticates with Basic and Digest (-u, --digest), bearer tokens (--oauth2-bearer), or your own field (-H)"

    /// Options of curl that tern does not have, and what does the same.
    private static let curl: [String: String] = [
        "--next": "tern has one set of options for all URLs; run tern once for each",
        "--ntlm": schemes, "--negotiate": schemes,
        "--proxy": proxies, "-x": proxies, "--socks5": proxies,
        "--http2": "tern speaks HTTP/1.1", "--http3": "tern speaks HTTP/1.1", "--http1.0": "tern speaks HTTP/1.1",
        "--pinnedpubkey": "give --pin sha256/BASE64", "--limit-rate": "tern does not limit the rate",
        "--parallel": "tern requests URLs one after another", "-Z": "tern requests URLs one after another",
        "--resolve": "give the address in the URL, and -H 'Host: …'; over https this is not possible",
        "--netrc": "give -u user:password", "-n": "give -u user:password",
        "--config": "tern reads no configuration file", "-K": "tern reads no configuration file",
        "--capath": "give --cacert FILE", "--post301": "give -X POST", "--post302": "give -X POST",
        "--continue-at": "\"tern download -C -\" resumes a download", "-C": "\"tern download -C -\" resumes a download",
        "--remote-header-name": "\"tern download URL\" names the file as the server proposes",
        "-J": "\"tern download URL\" names the file as the server proposes",
        "-V": "\"tern -V\" prints the version",
    ]

    /// Returns the parser's message in one line, with advice instead of the parser's guess, which any option of a few
    /// letters resembles.
    ///
    /// - Parameters:
    ///   - command: the command that was called.
    ///   - path: its names, as typed.
    ///   - commands: those whose options may have been meant.
    static func improved(
        _ message: String, of command: any ParsableCommand.Type, path: String,
        among commands: [any ParsableCommand.Type]
    ) -> String {
        let line = message.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: " ")
        let hint = "; see \"\(path) --help\""
        if line.hasPrefix("Missing expected argument '<url>") {
            return "no URL is given: give one, such as http://localhost:8080/"
        }
        let opening = "Unknown option '"
        if line.hasPrefix(opening) {
            let option = String(line.dropFirst(opening.count).prefix { $0 != "'" })
            return unknown(option, command, commands) ?? "unknown option '\(option)'\(hint)"
        }
        let isOfParser = ["Missing ", "The value ", "The option ", "Unexpected argument ", "Invalid option"]
            .contains { line.hasPrefix($0) }
        return isOfParser ? line.prefix(1).lowercased() + line.dropFirst() + hint : line
    }

    private static func unknown(
        _ option: String, _ command: any ParsableCommand.Type, _ commands: [any ParsableCommand.Type]
    ) -> String? {
        let isLikeCurl = command is any EndsLikeCurl.Type
        if isLikeCurl, let advice = curl[option] { return "unknown option '\(option)': \(advice)" }
        // Those that send requests have all options of curl that any command has, but for what the table has.
        let hasMost = command is any FetchCommand.Type
        if !hasMost || !CurlOptions.contains(option),
            let other = others(than: command, commands).first(where: { names($0).contains(option) })
        {
            return "unknown option '\(option)': it is an option of \"tern \(other.configuration.commandName ?? "")\""
        }
        if isLikeCurl, CurlOptions.contains(option) { return "curl's option \(option) is not supported" }
        return nearest(to: option, among: names(command)).map { "unknown option '\(option)': did you mean \($0)?" }
    }

    /// One command of those with the same options.
    private static func others(
        than command: any ParsableCommand.Type, _ commands: [any ParsableCommand.Type]
    ) -> [any ParsableCommand.Type] {
        let fetching: (any ParsableCommand.Type)? = command is any FetchCommand.Type ? nil : GetCommand.self
        return commands.filter { $0 != command && ($0 is any FetchCommand.Type ? $0 == fetching : true) }
    }

    private static func names(_ command: any ParsableCommand.Type) -> Set<String> {
        let lines = command.helpMessage(columns: 200).split(separator: "\n")
        let words = lines.lazy.map { $0.split { $0 == " " || $0 == "," || $0 == "/" } }.filter {
            $0.first?.hasPrefix("-") == true
        }
        return Set(words.flatMap { $0.prefix { $0.hasPrefix("-") || $0.hasPrefix("<") } }.map(String.init))
    }

    /// The long option that differs by a letter, or by two in long names.
    private static func nearest(to option: String, among names: Set<String>) -> String? {
        guard option.hasPrefix("--") else { return nil }
        let limit = max(1, (option.count - 2) / 4)
        return names.filter { $0.hasPrefix("--") }.map { ($0, distance(from: option, to: $0)) }
            .filter { $0.1 <= limit }.min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
    }

    /// The number of letters to insert, remove or replace (Levenshtein).
    private static func distance(from one: String, to other: String) -> Int {
        let other = Array(other.utf8)
        var row = Array(0...other.count)
        for (index, letter) in one.utf8.enumerated() {
            var corner = row[0]
            row[0] = index + 1
            for column in other.indices {
                let replaced = corner + (other[column] == letter ? 0 : 1)
                corner = row[column + 1]
                row[column + 1] = min(replaced, corner + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}
