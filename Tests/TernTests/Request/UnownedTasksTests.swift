// SPDX-License-Identifier: Apache-2.0
import TernEngine
import Testing

@testable import Tern

@Suite struct UnownedTasksTests {
    private let session = TernEngine.Session()
    private let strays = UnownedTasks()

    private func task() throws -> SessionTask {
        session.dataTask(with: try URLRequest(url: "http://127.0.0.1:1/", method: .get)) { _ in }
    }

    @Test func `tasks are listed in the order in which they were made, until they are removed`() throws {
        let tasks = try (0..<3).map { _ in try task() }
        for task in tasks.reversed() { strays.add(task) }
        #expect(strays.all.map(\.taskIdentifier) == tasks.map(\.taskIdentifier))
        strays.remove(tasks[1])
        #expect(strays.all.count == 2)
    }

    @Test func `a task is not retained`() throws {
        var task: SessionTask? = try task()
        strays.add(try #require(task))
        task = nil
        #expect(strays.all.isEmpty)
    }
}
