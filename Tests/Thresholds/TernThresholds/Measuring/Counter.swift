// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What is counted in a run of this program, by which tool, and where the sum is found when it has ended.
enum Counter {
    /// By a library that is loaded before the C library.
    case allocations(library: String)
    /// Those by which threads wait, send and receive. By the same library.
    case systemCalls(library: String)
    /// In user mode, by valgrind.
    case instructions

    /// The cost of one request: a long run less a short one, so that starting and ending count for nothing.
    func perRequest(_ path: Path, _ origin: String) throws -> Double {
        let (short, long) = runs
        let start = try total(path, short, origin)
        return (try total(path, long, origin) - start) / Double(long - short)
    }

    /// Chance allocates some dozens in a run, and valgrind is slow.
    private var runs: (short: Int, long: Int) {
        switch self {
        case .allocations, .systemCalls: (200, 8200)
        case .instructions: (200, 1200)
        }
    }

    private func total(_ path: Path, _ count: Int, _ origin: String) throws -> Double {
        let output = FileManager.default.temporaryDirectory.appending(path: "tern-count-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: output) }
        let process = Process()
        let send = ["send", path.rawValue, String(count), origin]
        // Hash values, and with them the collisions, are the same in every run.
        var environment = ProcessInfo.processInfo.environment.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
        switch self {
        case .allocations(let library), .systemCalls(let library):
            process.executableURL = Self.program
            process.arguments = send
            environment["LD_PRELOAD"] = library
            environment["TERN_COUNTS_FILE"] = output.path
        case .instructions:
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments =
                ["valgrind", "-q", "--tool=callgrind", "--fair-sched=yes", "--callgrind-out-file=\(output.path)"]
                + [Self.program.path] + send
        }
        process.environment = environment
        try process.run()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw Failure("\(path.rawValue): ended with \(process.terminationStatus)")
        }
        return try sum(in: try String(contentsOf: output, encoding: .utf8))
    }

    /// Tern's own counter prints the two sums; callgrind's is in its line "totals:".
    private func sum(in text: String) throws -> Double {
        let lines = text.split(separator: "\n")
        let line =
            switch self {
            case .allocations: lines.first ?? ""
            case .systemCalls: lines.last ?? ""
            case .instructions: lines.last { $0.hasPrefix("totals: ") }?.dropFirst(8) ?? ""
            }
        guard let sum = Double(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw Failure("nothing was counted: \(line)")
        }
        return sum
    }

    private static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
}
