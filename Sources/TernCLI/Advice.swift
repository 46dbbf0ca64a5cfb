// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// Suggests a replacement for an unknown option whose name is known: from curl, or from another command of tern.
enum Advice {
    /// Options of curl that tern does not have.
    private static let curl: [String: String] = [
        "--next": "tern has one set of options for all URLs; run tern once for each",
        "--ntlm": "tern authenticates with HTTP Basic (-u), or with your own field (-H)",
        "--negotiate": "tern authenticates with HTTP Basic (-u), or with your own field (-H)",
        "--proxy": "tern does not support proxies", "-x": "tern does not support proxies",
        "--socks5": "tern does not support proxies",
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
    ]

    /// Replaces the parser's guess in its message by this advice.
    static func improved(_ message: String, of commands: [any ParsableCommand.Type]) -> String {
        let opening = "Error: Unknown option '"
        guard message.hasPrefix(opening) else { return message }
        let option = String(message.dropFirst(opening.count).prefix { $0 != "'" })
        let rest = message.firstIndex(of: "\n").map { message[$0...] } ?? ""
        guard let advice = curl[option] ?? place(of: option, commands) else { return message }
        return "\(opening)\(option)': \(advice)\(rest)"
    }

    private static func place(of option: String, _ commands: [any ParsableCommand.Type]) -> String? {
        for command in commands {
            guard let name = command.configuration.commandName else { continue }
            let lines = command.helpMessage(columns: 200).split(separator: "\n")
            if lines.contains(where: { names(option, $0) }) { return "it is an option of \"tern \(name)\"" }
        }
        return nil
    }

    private static func names(_ option: String, _ line: Substring) -> Bool {
        let words = line.split { $0 == " " || $0 == "," }
        return words.first?.hasPrefix("-") == true && words.contains { $0 == option }
    }
}
