// SPDX-License-Identifier: Apache-2.0

/// What one request on a path costs, as measured here and now.
struct Costs {
    let path: Path
    let allocations: Double
    let instructions: Double

    init(_ path: Path, library: String, origin: String) throws {
        self.path = path
        allocations = try Counter.allocations(library: library).perRequest(path, origin)
        instructions = try Counter.instructions.perRequest(path, origin)
    }

    private init(_ path: Path, _ allocations: Double, _ instructions: Double) {
        (self.path, self.allocations, self.instructions) = (path, allocations, instructions)
    }

    /// These and two more measurements, and of each figure the middle one: threads that meet do not meet twice alike.
    func confirmed(library: String, origin: String) throws -> Costs {
        let all = [
            self, try Costs(path, library: library, origin: origin), try Costs(path, library: library, origin: origin),
        ]
        return Costs(path, all.map(\.allocations).sorted()[1], all.map(\.instructions).sorted()[1])
    }
}
