// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import TernEngine

@Suite struct UnownedTasksTests {
    private let session = Session()
    private let unowned = UnownedTasks()

    private func task() -> SessionTask {
        session.dataTask(with: URLRequest(url: URL(filePath: "/"))) { _ in }
    }

    @Test func `tasks are listed in the order in which they were made, until they are removed`() {
        let tasks = (0..<3).map { _ in task() }
        for task in tasks.reversed() { unowned.add(task) }
        #expect(unowned.all.map(\.taskIdentifier) == tasks.map(\.taskIdentifier))
        unowned.remove(tasks[1])
        #expect(unowned.all.count == 2)
    }

    @Test func `a task is not retained`() throws {
        var task: SessionTask? = task()
        unowned.add(try #require(task))
        task = nil
        #expect(unowned.all.isEmpty)
    }
}
