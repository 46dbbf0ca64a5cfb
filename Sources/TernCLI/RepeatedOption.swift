// SPDX-License-Identifier: Apache-2.0

/// Finds an option that is given twice and counts once: the parser takes the last one and says nothing.
enum RepeatedOption {
    /// Options that take a value, by another name of theirs.
    private static let aliases = [
        "E": "cert", "H": "header", "anchors": "cacert", "c": "connections", "d": "duration", "o": "output",
    ]
    private static let single: Set = [
        "output", "connect-timeout", "max-time", "cacert", "cert", "key", "key-log", "connections", "duration",
        "threads",
        "chain", "host", "policy", "at", "profile", "batch",
    ]

    /// The first such option, as it was spelled. No value begins with a hyphen, but for "-" itself.
    static func first(in arguments: some Sequence<String>) -> String? {
        var seen: Set<String> = []
        for argument in arguments.prefix(while: { $0 != "--" }) where argument.hasPrefix("-") && argument != "-" {
            guard let (name, spelling) = name(in: argument) else { continue }
            if single.contains(name), !seen.insert(name).inserted { return spelling }
        }
        return nil
    }

    /// Of short options that stand together only the last one takes a value.
    private static func name(in argument: String) -> (String, String)? {
        if argument.hasPrefix("--") {
            let name = String(argument.dropFirst(2).prefix { $0 != "=" })
            return (aliases[name] ?? name, "--" + name)
        }
        for letter in argument.dropFirst() {
            if let name = aliases[String(letter)] { return (name, "-" + String(letter)) }
        }
        return nil
    }
}
