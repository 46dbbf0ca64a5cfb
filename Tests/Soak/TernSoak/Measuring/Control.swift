// SPDX-License-Identifier: Apache-2.0

/// What the machine does to a program that has nothing to do with ours: a process that asks the same neighbour over a
/// blocking socket. Its delay is not the client's.
final class Control {
    private let process: HelpingProcess

    init(port: Int) throws {
        process = try HelpingProcess(arguments: ["control", String(port)])
    }

    /// The delays since the last call.
    func take() -> Delays {
        process.writeLine("take")
        let numbers = (process.readLine() ?? "").split(separator: " ").compactMap { Double($0) }
        var delays = Delays()
        guard numbers.count == 3 else { return delays }
        delays.count = Int(numbers[0])
        delays.p99 = numbers[1] / 1000
        delays.worst = numbers[2] / 1000
        return delays
    }
}
