// SPDX-License-Identifier: Apache-2.0

/// Takes values off the short options that they are glued to, as in `-dname=value` and `-sSLofile`. The parser reads
/// the first as an option with a long name.
enum JoinedValue {
    /// The short options that take a value in every command.
    private static let letters = Set("ACDEFHTXdemoruw")

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

    /// The flags and the option that takes a value, and what is glued to it; nil for every other argument.
    private static func split(_ argument: String) -> (option: String, value: String?)? {
        guard argument.hasPrefix("-"), !argument.hasPrefix("--") else { return nil }
        guard let index = argument.indices.dropFirst().first(where: { letters.contains(argument[$0]) }) else {
            return nil
        }
        let value = argument[argument.index(after: index)...]
        // The parser takes "-o=file" and "-m=1" for the same as "-o file"; curl takes "=file" for the value.
        return (String(argument[...index]), value.isEmpty ? nil : String(value))
    }
}
