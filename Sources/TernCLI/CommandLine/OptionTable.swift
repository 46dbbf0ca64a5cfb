// SPDX-License-Identifier: Apache-2.0

/// Options that belong together: those of a command, or a part that several commands have.
protocol OptionGroup: SendableMetatype {
    init()

    /// The one list of the options, of which parsing, help, completions and the manual are made.
    static var table: OptionTable<Self> { get }

    /// Called with all values.
    ///
    /// - Throws: ``UsageError`` for values that contradict each other.
    func validate() throws
}

extension OptionGroup {
    func validate() throws {}

    static var descriptions: [OptionDescription] { table.descriptions }

    static func parse(_ arguments: [String]) throws -> Self {
        var values = Self()
        let table = table
        try ArgumentReader.read(arguments, table.descriptions) { index, value in
            try table.changes[index](&values, value)
        }
        for check in table.checks { try check(values) }
        try values.validate()
        return values
    }
}

/// What is known of an option, a flag or an operand without its command's values.
struct OptionDescription {
    /// As typed, with dashes; none for an operand.
    var names: [String] = []
    /// The name of its value; nil for a flag.
    var value: String?
    /// Whether an argument that begins with a dash is its value, too, as in curl.
    var takesDashes = false
    var repeats = false
    var isRequired = false
    let help: String
    /// The title under which the help lists it; nil for no title of its own.
    var section: String?
    /// Reads the file that its value names, whose options stand in its place; nil for other options.
    var lines: (@Sendable (String) throws -> [ConfigurationLine])?

    var isOperand: Bool { names.isEmpty }

    /// Whether the value is the name of a file or a folder.
    var takesFile: Bool { value.map { $0.hasPrefix("file") || $0 == "folder" || $0 == "cookies or file" } ?? false }

    /// `-o, --output <file>`
    var usage: String { names.joined(separator: ", ") + (value.map { (isOperand ? "<" : " <") + $0 + ">" } ?? "") }
}

/// Arguments that do not follow the table, or ask for what every command has.
enum GrammarError: Error, Equatable {
    case unknownOption(String)
    case missingValue(of: String)
    case unwantedValue(of: String)
    /// - Parameter place: the option as typed with the name of its value.
    case invalidValue(String, place: String)
    case repeated(String)
    case unexpected(String)
    /// - Parameter name: that of its value.
    case missingOperand(name: String)
    /// The error of a line in a file of options.
    indirect case within(place: String, GrammarError)
    /// `--help` is not an error, and neither is `--version`.
    case help
    case version
}

/// The argument of an option, or an operand.
struct OptionValue {
    let text: String
    fileprivate let place: String

    func integer() throws(GrammarError) -> Int { try read { Int($0) } }

    func number() throws(GrammarError) -> Double { try read { Double($0) } }

    func read<Value>(_ value: (String) -> Value?) throws(GrammarError) -> Value {
        guard let value = value(text) else { throw .invalidValue(text, place: place) }
        return value
    }
}

/// The options of a command or of a group, in the order of the help.
struct OptionTable<Values> {
    typealias Change = (inout Values, OptionValue) throws -> Void

    fileprivate(set) var descriptions: [OptionDescription] = []
    /// What each of them changes.
    fileprivate var changes: [Change] = []
    /// Those of the groups within.
    fileprivate(set) var checks: [(Values) throws -> Void] = []

    init(_ parts: OptionTable<Values>...) {
        let count = parts.reduce(0) { $0 + $1.changes.count }
        descriptions.reserveCapacity(count)
        changes.reserveCapacity(count)
        for part in parts {
            descriptions += part.descriptions
            changes += part.changes
            checks += part.checks
        }
    }

    private init(_ description: OptionDescription, _ change: @escaping Change) {
        descriptions = [description]
        changes = [change]
    }

    /// An option with a value.
    ///
    /// - Parameters:
    ///   - name: the name of the value in the help.
    ///   - dashed: whether an argument that begins with a dash is its value, too.
    static func value(
        _ names: String..., as name: String, dashed: Bool = false, repeats: Bool = false, help: String,
        _ change: @escaping Change
    ) -> OptionTable {
        OptionTable(
            OptionDescription(names: names, value: name, takesDashes: dashed, repeats: repeats, help: help), change)
    }

    /// An option whose value names a file of options, which are read in its place.
    static func configuration(
        _ names: String..., help: String, lines: @escaping @Sendable (String) throws -> [ConfigurationLine],
        _ change: @escaping Change
    ) -> OptionTable {
        var description = OptionDescription(names: names, value: "file", repeats: true, help: help)
        description.lines = lines
        return OptionTable(description, change)
    }

    /// An option without a value, which may be repeated.
    static func flag(_ names: String..., help: String, _ change: @escaping (inout Values) -> Void) -> OptionTable {
        OptionTable(OptionDescription(names: names, repeats: true, help: help)) { values, _ in change(&values) }
    }

    /// An argument without a name. Only the last one may repeat.
    static func operand(
        _ name: String, isRequired: Bool = true, repeats: Bool = false, help: String, _ change: @escaping Change
    ) -> OptionTable {
        OptionTable(OptionDescription(value: name, repeats: repeats, isRequired: isRequired, help: help), change)
    }

    /// - Parameter section: the title under which the help lists the group; nil is that of the group around it.
    static func group<Group: OptionGroup>(
        _ path: WritableKeyPath<Values, Group>, _ section: String? = nil
    ) -> OptionTable {
        var group = Group.table
        var table = OptionTable()
        swap(&table.descriptions, &group.descriptions)
        if let section {
            for index in table.descriptions.indices where table.descriptions[index].section == nil {
                table.descriptions[index].section = section
            }
        }
        table.changes = group.changes.map { change in { try change(&$0[keyPath: path], $1) } }
        table.checks = group.checks.map { check in { try check($0[keyPath: path]) } }
        table.checks.append { try $0[keyPath: path].validate() }
        return table
    }
}

/// Reads the arguments of one command by curl's rules: options may stand anywhere among operands, short ones may be
/// joined to each other and to a value, and everything behind "--" is an operand.
///
/// Works on scalars: a combining mark behind a letter does not make another option of it.
struct ArgumentReader {
    /// How deep files of options may name others.
    private static let maximumDepth = 10

    private let options: [OptionDescription]
    private var rest: ArraySlice<String>
    /// The options that are not given yet.
    private var isOpen: [Bool]
    private var depth = 0

    /// - Parameter found: called for each option and operand in the order of the arguments, with its place among the
    ///   options.
    /// - Throws: ``GrammarError``, or what `found` throws.
    static func read(
        _ arguments: [String], _ options: [OptionDescription], _ found: (Int, OptionValue) throws -> Void
    ) throws {
        var reader = ArgumentReader(options: options, rest: arguments[...])
        while let word = reader.rest.popFirst() {
            if word == "--" {
                while let operand = reader.rest.popFirst() { try reader.take(operand: operand, found) }
            } else if word.utf8.starts(with: "--".utf8) {
                try reader.take(long: word, found)
            } else if word.utf8.first == UInt8(ascii: "-"), word.utf8.count > 1 {
                try reader.take(letters: word, found)
            } else {
                try reader.take(operand: word, found)
            }
        }
        for (option, isOpen) in zip(options, reader.isOpen) where option.isRequired && isOpen {
            throw GrammarError.missingOperand(name: option.value ?? "")
        }
    }

    private init(options: [OptionDescription], rest: ArraySlice<String>) {
        self.options = options
        self.rest = rest
        isOpen = Array(repeating: true, count: options.count)
    }

    private mutating func take(long word: String, _ found: (Int, OptionValue) throws -> Void) throws {
        let equals = word.utf8.firstIndex(of: UInt8(ascii: "="))
        let name = equals.map { String(word[..<$0]) } ?? word
        let joined = equals.map { String(word[word.utf8.index(after: $0)...]) }
        let index = try index(of: name)
        if options[index].value == nil {
            if joined != nil { throw GrammarError.unwantedValue(of: name) }
            return try take(index, name, "", found)
        }
        try take(index, name, joined ?? value(of: index, name), found)
    }

    private mutating func take(letters word: String, _ found: (Int, OptionValue) throws -> Void) throws {
        var letters = word.unicodeScalars.dropFirst()
        while let letter = letters.popFirst() {
            let name = "-" + String(letter)
            let index = try index(of: name)
            if options[index].value == nil {
                try take(index, name, "", found)
                continue
            }
            // As in curl, "-o=file" has the value "=file".
            let text = letters.isEmpty ? try value(of: index, name) : String(Substring(letters))
            return try take(index, name, text, found)
        }
    }

    private mutating func take(
        _ index: Int, _ name: String, _ text: String, _ found: (Int, OptionValue) throws -> Void
    ) throws {
        try found(index, use(index, name, text))
        guard let lines = options[index].lines else { return }
        guard depth < Self.maximumDepth else {
            throw UsageError("\(name) \(text): files of options name each other more than \(Self.maximumDepth) deep")
        }
        let outer = rest
        depth += 1
        defer { (rest, depth) = (outer, depth - 1) }
        for line in try lines(text) { try takePlaced(line, found) }
    }

    private mutating func takePlaced(
        _ line: ConfigurationLine, _ found: (Int, OptionValue) throws -> Void
    ) throws {
        do {
            try take(line, found)
        } catch let error as GrammarError {
            switch error {
            case .help, .version, .within: throw error
            case .unknownOption, .missingValue, .unwantedValue, .invalidValue, .repeated, .unexpected, .missingOperand:
                throw GrammarError.within(place: line.place, error)
            }
        } catch let error as UsageError {
            throw UsageError("\(line.place): \(error.message)")
        }
    }

    private mutating func take(_ line: ConfigurationLine, _ found: (Int, OptionValue) throws -> Void) throws {
        rest = [line.value].compactMap(\.self)[...]
        let isDashed = line.name.utf8.first == UInt8(ascii: "-")
        if isDashed, !line.name.hasPrefix("--") {
            try take(letters: line.name, found)
            if !rest.isEmpty { throw GrammarError.unwantedValue(of: line.name) }
            return
        }
        if line.value == nil, line.name.contains("=") { return try take(long: line.name, found) }
        let name = isDashed ? line.name : "--" + line.name
        let index = try index(of: name)
        switch (options[index].value, line.value) {
        case (nil, nil): try take(index, name, "", found)
        case (nil, _?): throw GrammarError.unwantedValue(of: name)
        case (_?, nil): throw GrammarError.missingValue(of: name)
        case (_?, let text?): try take(index, name, text, found)
        }
    }

    private mutating func take(operand text: String, _ found: (Int, OptionValue) throws -> Void) throws {
        guard let index = options.indices.first(where: { options[$0].isOperand && isOpen[$0] }) else {
            throw GrammarError.unexpected(text)
        }
        try found(index, use(index, "", text))
    }

    private func index(of name: String) throws(GrammarError) -> Int {
        if let index = options.firstIndex(where: { $0.names.contains(name) }) { return index }
        switch name {
        case "-h", "--help": throw .help
        case "--version": throw .version
        default: throw .unknownOption(name)
        }
    }

    /// The argument behind an option.
    private mutating func value(of index: Int, _ name: String) throws(GrammarError) -> String {
        guard let next = rest.first,
            options[index].takesDashes || next.utf8.first != UInt8(ascii: "-") || next == "-"
        else { throw .missingValue(of: name) }
        rest.removeFirst()
        return next
    }

    private mutating func use(_ index: Int, _ name: String, _ text: String) throws(GrammarError) -> OptionValue {
        let option = options[index]
        if !option.repeats {
            // Of two values the user may mean either.
            if !isOpen[index] { throw .repeated(name) }
            isOpen[index] = false
        }
        let value = "<\(option.value ?? "")>"
        return OptionValue(text: text, place: name.isEmpty ? value : "\(name) \(value)")
    }
}
