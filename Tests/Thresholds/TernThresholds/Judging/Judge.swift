// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// Measures every path, and holds the figures against the committed ones or puts them in their place.
struct Judge {
    let file: URL
    /// The library that counts allocations and system calls.
    let counter: String
    let origin: String
    /// Named when figures are written down, and when they were others.
    let toolchain: String

    /// - Returns: whether no limit was exceeded.
    func check() throws -> Bool {
        let thresholds = try Thresholds(from: file)
        guard thresholds.rows.map(\.path) == Path.allCases.map(\.rawValue) else {
            throw Failure("\(file.lastPathComponent) does not name the existing paths in their order: record it again")
        }
        if thresholds.toolchain != toolchain {
            Table.write("The limits were recorded with \(thresholds.toolchain); this is \(toolchain).")
        }
        Table.write(Table.header)
        var isFine = true
        for (measured, row) in zip(try allCosts(), thresholds.rows) {
            var costs = measured
            var verdicts = judge(costs, row, thresholds)
            if verdicts.contains(.exceeded) {
                costs = try costs.confirmed(library: counter, origin: origin)
                verdicts = judge(costs, row, thresholds)
            }
            isFine = isFine && !verdicts.contains(.exceeded)
            Table.write(Table.lines(costs, row, verdicts))
        }
        return isFine
    }

    func record() throws {
        var rows: [Thresholds.Row] = []
        for costs in try allCosts() {
            let row = Thresholds.Row(try costs.confirmed(library: counter, origin: origin))
            let counts = [
                "\(row.allocations) allocations", "\(row.instructions) instructions",
                "\(row.referenceOperations) reference operations", "\(row.exclusivityChecks) exclusivity checks",
                "\(row.systemCalls) system calls",
            ]
            Table.write("\(costs.path.title): \(counts.joined(separator: ", "))")
            rows.append(row)
        }
        try Thresholds(rows, toolchain: toolchain).write(to: file)
    }

    /// Measures as many paths at a time as there are processors: neither count depends on the load of the machine.
    private func allCosts() throws -> [Costs] {
        let paths = Path.allCases
        let results = Mutex<[Int: Result<Costs, any Error>]>([:])
        DispatchQueue.concurrentPerform(iterations: paths.count) { index in
            let result = Result { try Costs(paths[index], library: counter, origin: origin) }
            results.withLock { $0[index] = result }
        }
        return try results.withLock { results in try paths.indices.compactMap { try results[$0]?.get() } }
    }

    /// Of the figures in the order of the table.
    private func judge(_ costs: Costs, _ row: Thresholds.Row, _ thresholds: Thresholds) -> [Verdict] {
        [
            Verdict(count: costs.allocations, limit: row.allocations),
            thresholds.isForThisArchitecture
                ? Verdict(instructions: costs.instructions, limit: row.instructionLimit) : .unjudged,
            Verdict(
                count: costs.referenceOperations, limit: row.referenceOperationLimit,
                allowance: costs.path.referenceOperationAllowance),
            Verdict(count: costs.exclusivityChecks, limit: row.exclusivityChecks),
            Verdict(
                systemCalls: costs.systemCalls, limit: row.systemCallLimit, allowance: costs.path.systemCallAllowance),
        ]
    }
}
