// SPDX-License-Identifier: Apache-2.0

/// Counts from the file that callgrind writes for a run.
///
/// The file names a function once, as "(id) name", and by its id from then on. A line "fn=" names the caller, a line
/// "cfn=" the function that it calls, and the line "calls=" after that says how often.
struct Profile {
    /// In user mode.
    private(set) var instructions: Double?
    /// Calls of the runtime's functions that retain or release, in any form, or go through a weak or unowned reference.
    /// What such a function calls, as `swift_bridgeObjectRetain` calls `swift_retain`, is the same operation.
    private(set) var referenceOperations = 0.0
    /// Calls of the runtime's function that checks an access for overlap with others.
    private(set) var exclusivityChecks = 0.0

    init(_ text: String) {
        var kinds: [Substring: Kind] = [:]
        var (caller, callee) = (Kind.other, Kind.other)
        func kind(_ reference: Substring) -> Kind {
            let parts = reference.split(separator: " ", maxSplits: 1)
            guard let id = parts.first else { return .other }
            if parts.count > 1 { kinds[id] = Kind(parts[1]) }
            return kinds[id] ?? .other
        }
        for line in text.split(separator: "\n") {
            if line.hasPrefix("fn=") {
                caller = kind(line.dropFirst(3))
            } else if line.hasPrefix("cfn=") {
                callee = kind(line.dropFirst(4))
            } else if line.hasPrefix("calls=") {
                let count = Double(line.dropFirst(6).prefix { $0 != " " }) ?? 0
                switch callee {
                case .reference where caller != .reference: referenceOperations += count
                case .exclusivity: exclusivityChecks += count
                case .reference, .other: break
                }
            } else if line.hasPrefix("totals: ") {
                instructions = Double(line.dropFirst(8))
            }
        }
    }

    private enum Kind {
        case reference
        case exclusivity
        case other

        /// - Parameter function: a recursive one ends in "'2".
        init(_ function: Substring) {
            let name = function.prefix { $0 != "'" }
            guard name.hasPrefix("swift_") else {
                self = .other
                return
            }
            let nonatomic = "swift_nonatomic_"
            let operation = name.dropFirst(name.hasPrefix(nonatomic) ? nonatomic.count : 6)
            if operation == "beginAccess" {
                self = .exclusivity
            } else if !operation.hasSuffix("Count"), Self.prefixes.contains(where: operation.hasPrefix) {
                self = .reference
            } else {
                self = .other
            }
        }

        /// The names of the runtime's functions begin with these; what only reads a count ends in "Count".
        private static let prefixes = [
            "retain", "release", "tryRetain", "bridgeObjectRetain", "bridgeObjectRelease", "unknownObject", "weak",
            "unowned", "errorRetain", "errorRelease",
        ]
    }
}
