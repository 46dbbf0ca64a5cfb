// SPDX-License-Identifier: Apache-2.0

/// What one request on a path costs, as measured here and now.
struct Costs {
    let path: Path
    let allocations: Double
    let instructions: Double
    let systemCalls: Double
    let referenceOperations: Double
    let exclusivityChecks: Double

    init(_ path: Path, library: String, origin: String) throws {
        self.path = path
        let calls = try Counter.calls(library: library).perRequest(path, origin)
        (allocations, systemCalls) = (calls[0], calls[1])
        let profile = try Counter.instructions.perRequest(path, origin)
        (instructions, referenceOperations, exclusivityChecks) = (profile[0], profile[1], profile[2])
        if let known = path.knownReferenceOperations, abs(referenceOperations - Double(known)) > 0.05 {
            throw Failure("\(path.rawValue): makes \(known) reference operations, \(referenceOperations) were counted")
        }
    }

    private init(_ path: Path, middleOf all: [Costs]) {
        func middle(_ figure: (Costs) -> Double) -> Double { all.map(figure).sorted()[all.count / 2] }
        self.path = path
        (allocations, instructions) = (middle(\.allocations), middle(\.instructions))
        systemCalls = middle(\.systemCalls)
        (referenceOperations, exclusivityChecks) = (middle(\.referenceOperations), middle(\.exclusivityChecks))
    }

    /// These and two more measurements, and of each figure the middle one: threads that meet do not meet twice alike.
    func confirmed(library: String, origin: String) throws -> Costs {
        let all = [
            self, try Costs(path, library: library, origin: origin), try Costs(path, library: library, origin: origin),
        ]
        return Costs(path, middleOf: all)
    }
}
