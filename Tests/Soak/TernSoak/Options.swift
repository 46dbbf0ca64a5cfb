// SPDX-License-Identifier: Apache-2.0

/// What the command line says.
struct Options: Sendable {
    enum Part: String, Sendable { case all, scenario, storm }

    var part = Part.all
    /// The part's order, when we are one of the processes.
    var order = ""
    var seconds = 120.0
    var seed = UInt64.random(in: 0..<1 << 32)
    var workers = 200
    var descriptors = 256
    /// Only what has this in its name; the storms are `storm-plain` and `storm-tls`.
    var only: String?
    var showsJSON = false
    /// address or thread: no verdicts on time.
    var sanitizer: String?
    var delayLimit = 50.0

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        if let first = rest.first, let part = Part(rawValue: first) {
            self.part = part
            rest = rest.dropFirst()
        }
        while let option = rest.popFirst() {
            switch option {
            case "--json": showsJSON = true
            case "--seconds": seconds = try Self.value(option, &rest)
            case "--seed": seed = try Self.value(option, &rest)
            case "--workers": workers = try Self.value(option, &rest)
            case "--descriptors": descriptors = try Self.value(option, &rest)
            case "--delay-limit": delayLimit = try Self.value(option, &rest)
            case "--only": only = try Self.value(option, &rest)
            case "--sanitizer":
                let name: String = try Self.value(option, &rest)
                sanitizer = name.isEmpty ? nil : name
            default:
                guard part != .all, order.isEmpty else { throw Misuse(option) }
                order = option
            }
        }
    }

    struct Misuse: Error, CustomStringConvertible {
        let description: String

        init(_ option: String) { description = "\(option) is not understood" }
    }

    private static func value<Value: LosslessStringConvertible>(
        _ option: String, _ rest: inout ArraySlice<String>
    ) throws -> Value {
        guard let text = rest.popFirst(), let value = Value(text) else { throw Misuse(option) }
        return value
    }
}
