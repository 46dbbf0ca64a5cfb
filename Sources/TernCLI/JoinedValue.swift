// SPDX-License-Identifier: Apache-2.0

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
