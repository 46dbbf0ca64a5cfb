// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What is counted in a run of this program, by which tool, and where the sum is found when it has ended.
enum Counter {
    /// The allocations, and the system calls by which threads wait, send and receive. By a library that is loaded before
    /// the C library.
    case calls(library: String)
    /// The instructions in user mode, the reference operations and the exclusivity checks. By valgrind.
    case instructions

    /// The cost of one request: a long run less a short one, so that starting and ending count for nothing.
    func perRequest(_ path: Path, _ origin: String) throws -> [Double] {
        let (short, long) = runs
        let start = try totals(path, short, origin)
        return zip(try totals(path, long, origin), start).map { ($0 - $1) / Double(long - short) }
    }

    /// Chance allocates some dozens in a run, and valgrind is slow.
    private var runs: (short: Int, long: Int) {
        switch self {
        case .calls: (200, 8200)
        case .instructions: (200, 1200)
        }
    }

    private func totals(_ path: Path, _ count: Int, _ origin: String) throws -> [Double] {
        let output = FileManager.default.temporaryDirectory.appending(path: "tern-count-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: output) }
        let process = Process()
        let send = ["send", path.rawValue, String(count), origin]
        // Hash values, and with them the collisions, are the same in every run.
        var environment = ProcessInfo.processInfo.environment.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
        switch self {
        case .calls(let library):
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
        return try sums(in: try String(contentsOf: output, encoding: .utf8))
    }

    /// Tern's own counter prints the two sums, a line each.
    private func sums(in text: String) throws -> [Double] {
        switch self {
        case .calls:
            let sums = text.split(separator: "\n").compactMap { Double($0) }
            if sums.count == 2 { return sums }
        case .instructions:
            let profile = Profile(text)
            if let instructions = profile.instructions {
                return [instructions, profile.referenceOperations, profile.exclusivityChecks]
            }
        }
        throw Failure("nothing was counted: \(text.prefix(200))")
    }

    private static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
}
