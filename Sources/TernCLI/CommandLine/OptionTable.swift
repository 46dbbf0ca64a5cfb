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

    /// Validates values, and those of their groups.
    static func check(_ all: [Self]) throws {
        let checks = table.checks
        for values in all {
            for check in checks { try check(values) }
            try values.validate()
        }
    }
}

/// What is known of an option, a flag or an operand without its command's values.
struct OptionDescription {
    /// As typed, with dashes; none for an operand.
    var names: [String] = []
    /// The name of its value; nil for a flag.
    var value: String?
    /// Whether each value adds to those before it; of others, the last one counts, as in curl.
    var repeats = false
    var isRequired = false
    /// Whether `--no-NAME` is its opposite, or `--NAME` that of one whose own name is `--no-NAME`.
    var isReversible = false
    let help: String
    /// The title under which the help lists it; nil for no title of its own.
    var section: String?
    /// Reads the file that its value names, whose options stand in its place; nil for other options.
    var lines: (@Sendable (String) throws -> [ConfigurationLine])?

    var isOperand: Bool { names.isEmpty }

    /// The long names that turn it off again.
    var opposites: [String] {
        guard isReversible else { return [] }
        return names.filter { $0.hasPrefix("--") }.map { name in
            name.hasPrefix("--no-") ? "--" + name.dropFirst(5) : "--no-" + name.dropFirst(2)
        }
    }

    /// Everything that it is read under.
    var spellings: [String] { names + opposites }

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
    /// Of a switch: whether it is turned on.
    fileprivate(set) var isOn = true
    fileprivate let place: String

    /// Nil for an empty text, which scripts make of a variable that is not set: as if the option had not been given.
    var given: String? { text.isEmpty ? nil : text }

    func integer() throws(GrammarError) -> Int { try read { Int($0) } }

    /// From 0 on.
    func count() throws(GrammarError) -> Int { try read { Int($0).flatMap { $0 < 0 ? nil : $0 } } }

    /// From 0 on.
    func number() throws(GrammarError) -> Double { try read { Double($0).flatMap { $0 >= 0 ? $0 : nil } } }

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
    /// - Parameter name: the name of the value in the help.
    static func value(
        _ names: String..., as name: String, repeats: Bool = false, help: String, _ change: @escaping Change
    ) -> OptionTable {
        OptionTable(OptionDescription(names: names, value: name, repeats: repeats, help: help), change)
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

    /// An option without a value and without an opposite, such as one of several that exclude each other.
    static func flag(_ names: String..., help: String, _ change: @escaping (inout Values) -> Void) -> OptionTable {
        OptionTable(OptionDescription(names: names, help: help)) { values, _ in change(&values) }
    }

    /// An option without a value that `--no-NAME` turns off again.
    ///
    /// - Parameter change: gets whether the option is given as named, rather than its opposite.
    static func toggle(
        _ names: String..., help: String, _ change: @escaping (inout Values, Bool) -> Void
    ) -> OptionTable {
        OptionTable(OptionDescription(names: names, isReversible: true, help: help)) { change(&$0, $1.isOn) }
    }

    /// An argument without a name. Only the last one may repeat.
    static func operand(
        _ name: String, isRequired: Bool = true, repeats: Bool = false, help: String, _ change: @escaping Change
    ) -> OptionTable {
        OptionTable(OptionDescription(value: name, repeats: repeats, isRequired: isRequired, help: help), change)
    }

    /// - Parameters:
    ///   - section: the title under which the help lists the group; nil is that of the group around it.
    ///   - part: the options of the group that the command takes; nil for all.
    static func group<Group: OptionGroup>(
        _ path: WritableKeyPath<Values, Group>, _ section: String? = nil, part: OptionTable<Group>? = nil
    ) -> OptionTable {
        group(section, part: part) { try $1(&$0[keyPath: path]) }
    }

    /// - Parameter access: lends the group where it is stored. The key path of a protocol's requirement lends a copy: each
    ///   option would copy what all before it have collected.
    static func group<Group: OptionGroup>(
        _ section: String? = nil, part: OptionTable<Group>? = nil,
        access: @escaping (inout Values, (inout Group) throws -> Void) throws -> Void
    ) -> OptionTable {
        var group = part ?? Group.table
        var table = OptionTable()
        swap(&table.descriptions, &group.descriptions)
        if let section {
            for index in table.descriptions.indices where table.descriptions[index].section == nil {
                table.descriptions[index].section = section
            }
        }
        table.changes = group.changes.map { change in
            { values, value in try access(&values) { try change(&$0, value) } }
        }
        table.checks = (group.checks + [{ try $0.validate() }]).map { check in
            { values in
                var values = values
                try access(&values) { try check($0) }
            }
        }
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

    /// An option under one of its names.
    private struct Match {
        let index: Int
        var isOn = true
    }

    private let options: [OptionDescription]
    private let matches: [String: Match]
    private var rest: ArraySlice<String>
    /// The places of the operands that may still come.
    private var operands: ArraySlice<Int>
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
        if let missing = reader.operands.first(where: { options[$0].isRequired }) {
            throw GrammarError.missingOperand(name: options[missing].value ?? "")
        }
    }

    private init(options: [OptionDescription], rest: ArraySlice<String>) {
        self.options = options
        self.rest = rest
        operands = options.indices.filter { options[$0].isOperand }[...]
        var matches: [String: Match] = [:]
        matches.reserveCapacity(options.count * 2)
        for (index, option) in options.enumerated() {
            for name in option.names { matches[name] = Match(index: index) }
            for name in option.opposites where matches[name] == nil { matches[name] = Match(index: index, isOn: false) }
        }
        self.matches = matches
    }

    private mutating func take(long word: String, _ found: (Int, OptionValue) throws -> Void) throws {
        let equals = word.utf8.firstIndex(of: UInt8(ascii: "="))
        let name = equals.map { String(word[..<$0]) } ?? word
        let joined = equals.map { String(word[word.utf8.index(after: $0)...]) }
        let match = try match(name)
        if options[match.index].value == nil {
            if joined != nil { throw GrammarError.unwantedValue(of: name) }
            return try take(match, name, "", found)
        }
        try take(match, name, joined ?? value(of: match.index, name), found)
    }

    private mutating func take(letters word: String, _ found: (Int, OptionValue) throws -> Void) throws {
        var letters = word.unicodeScalars.dropFirst()
        while let letter = letters.popFirst() {
            let name = "-" + String(letter)
            let match = try match(name)
            if options[match.index].value == nil {
                try take(match, name, "", found)
                continue
            }
            // As in curl, "-o=file" has the value "=file".
            let text = letters.isEmpty ? try value(of: match.index, name) : String(Substring(letters))
            return try take(match, name, text, found)
        }
    }

    private mutating func take(
        _ match: Match, _ name: String, _ text: String, _ found: (Int, OptionValue) throws -> Void
    ) throws {
        let place = "\(name) <\(options[match.index].value ?? "")>"
        try found(match.index, OptionValue(text: text, isOn: match.isOn, place: place))
        guard let lines = options[match.index].lines else { return }
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
            case .unknownOption, .missingValue, .unwantedValue, .invalidValue, .unexpected, .missingOperand:
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
        let match = try match(name)
        switch (options[match.index].value, line.value) {
        case (nil, nil): try take(match, name, "", found)
        case (nil, _?): throw GrammarError.unwantedValue(of: name)
        case (_?, nil): throw GrammarError.missingValue(of: name)
        case (_?, let text?): try take(match, name, text, found)
        }
    }

    private mutating func take(operand text: String, _ found: (Int, OptionValue) throws -> Void) throws {
        guard let index = operands.first else { throw GrammarError.unexpected(text) }
        if !options[index].repeats { operands.removeFirst() }
        try found(index, OptionValue(text: text, place: "<\(options[index].value ?? "")>"))
    }

    private func match(_ name: String) throws(GrammarError) -> Match {
        if let match = matches[name] { return match }
        switch name {
        case "-h", "--help": throw .help
        case "--version": throw .version
        default: throw .unknownOption(name)
        }
    }

    /// The argument behind an option.
    private mutating func value(of index: Int, _ name: String) throws(GrammarError) -> String {
        // As in curl, whatever follows is the value, also if it begins with a dash.
        guard let next = rest.popFirst() else { throw .missingValue(of: name) }
        return next
    }
}
