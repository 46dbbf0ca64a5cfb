// SPDX-License-Identifier: Apache-2.0

/// A command, such as `tern get`: its options, and what it does with them.
protocol ToolCommand: OptionGroup {
    static var name: String { get }
    /// What it does, in a sentence.
    static var abstract: String { get }
    /// What its help says before the options; may be empty.
    static var discussion: String { get }
    /// Arguments that people type, for the help; may be empty.
    static var examples: [String] { get }
    /// If there are any, the command is not run itself.
    static var subcommands: [any ToolCommand.Type] { get }
    /// The one that runs if none is named.
    static var defaultSubcommand: (any ToolCommand.Type)? { get }
    /// Whether it exits with all codes of ``ExitStatus``, not only with 0, 1 or 2.
    static var endsLikeCurl: Bool { get }

    func run() async throws
}

extension ToolCommand {
    static var discussion: String { "" }
    static var examples: [String] { [] }
    static var subcommands: [any ToolCommand.Type] { [] }
    static var defaultSubcommand: (any ToolCommand.Type)? { nil }
    static var endsLikeCurl: Bool { false }
}

/// A command that only has commands.
protocol CommandFamily: ToolCommand {}

extension CommandFamily {
    static var table: OptionTable<Self> { OptionTable() }

    func run() async throws {}
}

/// Wrong usage, which ends the command with code 2.
struct UsageError: Error, CustomStringConvertible {
    let message: String

    init(_ message: String) { self.message = message }

    var description: String { message }
}

/// Ends the command with this code, after it told why.
struct ExitCode: Error {
    let rawValue: Int32

    init(_ rawValue: Int32) { self.rawValue = rawValue }
}
