// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The committed file: what each path may cost, and what it did when that was written down.
struct Thresholds: Codable {
    struct Row: Codable {
        let path: String
        /// The most that a request may make: exactly as many as it made.
        let allocations: Int
        /// In user mode, as measured.
        let instructions: Int
        /// The most there may be of them. Other processors and libraries make other choices, such as how to copy memory
        /// and how to encrypt: six in a hundred are left for that and for the pace of two threads.
        let instructionLimit: Int
        /// The calls of the runtime that count references, as measured.
        let referenceOperations: Int
        /// The most there may be of them: exactly as many, and the allowance of a path whose threads meet by chance.
        let referenceOperationLimit: Int
        /// The most calls of the runtime there may be that check accesses: exactly as many as there were.
        let exclusivityChecks: Int
        /// The system calls by which threads wait, send and receive, as measured. A path has one connection: each request
        /// has a wait of its own.
        let systemCalls: Double
        /// The most there may be of them: those of the path, and its allowance.
        let systemCallLimit: Double

        init(_ costs: Costs) {
            path = costs.path.rawValue
            allocations = Int(costs.allocations.rounded())
            instructions = Int(costs.instructions.rounded())
            instructionLimit = Int((costs.instructions * 1.06).rounded())
            referenceOperations = Int(costs.referenceOperations.rounded())
            referenceOperationLimit = referenceOperations + costs.path.referenceOperationAllowance
            exclusivityChecks = Int(costs.exclusivityChecks.rounded())
            systemCalls = (costs.systemCalls * 100).rounded() / 100
            systemCallLimit = (systemCalls + 0.05).rounded(.down) + costs.path.systemCallAllowance
        }
    }

    /// The one whose instructions are counted here: another one's are others.
    let architecture: String
    /// What they were counted with.
    let toolchain: String
    let rows: [Row]

    init(_ rows: [Row], toolchain: String) {
        (architecture, self.toolchain, self.rows) = (Self.thisArchitecture, toolchain, rows)
    }

    init(from file: URL) throws {
        self = try JSONDecoder().decode(Thresholds.self, from: Data(contentsOf: file))
    }

    func write(to file: URL) throws { try Data(text.utf8).write(to: file) }

    /// JSON with one line per path.
    private var text: String {
        let lines = rows.map { row in
            "    {\"path\": \"\(row.path)\", \"allocations\": \(row.allocations), "
                + "\"instructions\": \(row.instructions), \"instructionLimit\": \(row.instructionLimit), "
                + "\"referenceOperations\": \(row.referenceOperations), "
                + "\"referenceOperationLimit\": \(row.referenceOperationLimit), "
                + "\"exclusivityChecks\": \(row.exclusivityChecks), "
                + "\"systemCalls\": \(row.systemCalls), \"systemCallLimit\": \(row.systemCallLimit)}"
        }
        return """
            {
              "architecture": "\(architecture)",
              "toolchain": "\(toolchain)",
              "rows": [
            \(lines.joined(separator: ",\n"))
              ]
            }

            """
    }

    var isForThisArchitecture: Bool { architecture == Self.thisArchitecture }

    #if arch(x86_64)
        private static let thisArchitecture = "x86_64"
    #elseif arch(arm64)
        private static let thisArchitecture = "aarch64"
    #else
        private static let thisArchitecture = "another"
    #endif
}
