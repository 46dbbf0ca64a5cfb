// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What a plain request costs, beside what it may: `TernThresholds check FILE LIBRARY ORIGIN TOOLCHAIN`, and `record`
/// for `check`. Both run this program again as `TernThresholds send PATH COUNT ORIGIN`, which is what is measured.
///
/// Ends with 1 if a limit was exceeded, and with 2 if it could not measure.
@main
struct TernThresholds {
    // Not async: an async main thread ends in dispatch_main(), whose sigsuspend(2) on a constant crashes valgrind 3.19.
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            switch (arguments.first, arguments.count) {
            case ("check", 5): exit(try judge(arguments).check() ? 0 : 1)
            case ("record", 5): try judge(arguments).record()
            case ("send", 4): try send(arguments)
            default: throw Failure("usage: TernThresholds check|record FILE LIBRARY ORIGIN TOOLCHAIN")
            }
        } catch {
            try? FileHandle.standardError.write(contentsOf: Data("TernThresholds: \(error)\n".utf8))
            exit(2)
        }
    }

    private static func judge(_ arguments: [String]) -> Judge {
        Judge(
            file: URL(fileURLWithPath: arguments[1]), counter: arguments[2], origin: arguments[3],
            toolchain: arguments[4])
    }

    private static func send(_ arguments: [String]) throws {
        guard let path = Path(rawValue: arguments[1]), let count = Int(arguments[2]) else {
            throw Failure("no such path or count: \(arguments[1]), \(arguments[2])")
        }
        try path.send(count, to: try Origins(folder: arguments[3]))
    }
}
