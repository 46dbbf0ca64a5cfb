// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

/// Runs the soak on known faults: a verdict of "nothing found" is worth something only after that.
struct Trial {
    let chaos: ServerProcess.Description
    let neighbourPort: Int
    let judge: Judge

    struct Blindness: Error, CustomStringConvertible {
        let description: String
    }

    func run() throws {
        for behaviour in chaos.behaviours.keys.sorted() where behaviour.hasPrefix("betray") {
            if try flaws(of: behaviour).isEmpty { throw Blindness(description: "the soak does not see \(behaviour)") }
        }
        let order = ScenarioOrder(
            attack: Attack(name: "trial", kind: .work, door: "plain"), connections: 1, seconds: 0.2, patience: 10,
            server: chaos, neighbourPort: neighbourPort)
        let (report, _) = try Child.run("scenario", order, ScenarioReport.self, within: 120)
        guard let report, judge.delay(report) > Hostile.workOnTrial / 2 else {
            throw Blindness(description: "the soak does not see what a neighbour waits for")
        }
    }

    private func flaws(of behaviour: String) throws -> [WorkerReport.Flaw] {
        let question = Question(
            behaviour: behaviour, method: "GET", nonce: 77, size: 1000, body: [],
            base: "http://127.0.0.1:\(chaos.ports["plain"] ?? 0)")
        let request = try question.request()
        let (done, flaws) = (DispatchSemaphore(value: 0), Found())
        Task.detached {
            var report = WorkerReport(question)
            if let (data, response) = try? await Session().data(for: request) {
                report.head(response)
                if !data.isEmpty { report.bytes([UInt8](data).span) }
                report.end(isComplete: true)
            }
            flaws.list = report.flaws
            done.signal()
        }
        done.wait()
        return flaws.list
    }

    /// Written before the semaphore is signalled and read after.
    private final class Found: @unchecked Sendable {
        var list: [WorkerReport.Flaw] = []
    }
}
