// SPDX-License-Identifier: Apache-2.0
import TernEngine
import TestProofs
import Testing

@testable import Tern

@Suite struct TaskRegistryTests {
    private let registry = TaskRegistry()
    private let manager = SessionManager()

    init() { manager.startRequestsImmediately = false }

    private func request() -> DataRequest { manager.request("http://127.0.0.1:1/") }

    @Test(.proves("3.2b", "11.2a")) func `a request is found under its task until it is removed, among many`() throws {
        let requests = (0..<1000).map { _ in request() }
        let tasks = try requests.map { try #require($0.task) }
        for (request, task) in zip(requests, tasks) { registry[task] = request }
        for (request, task) in zip(requests, tasks) { #expect(registry[task] === request) }
        #expect(registry.all.count == 1000)
        registry[tasks[3]] = requests[4]
        #expect(registry[tasks[3]] === requests[4])
        for task in tasks { registry[task] = nil }
        for task in tasks { #expect(registry[task] == nil) }
        #expect(registry.all.isEmpty)
    }

    @Test func `a request that is only known is not held, until it is to be`() throws {
        var known: DataRequest? = request()
        let task = try #require(known?.task)
        registry.note(try #require(known), for: task)
        #expect(registry[task] === known)
        known = nil
        #expect(registry[task] == nil)
        let held = request()
        let heldTask = try #require(held.task)
        registry.note(held, for: heldTask)
        registry.retain(requestOf: heldTask)
        #expect(registry.all.count == 1)
        registry[heldTask] = nil
        #expect(registry.all.isEmpty)
    }

    @Test func `a request that waits for a task is known and not retained`() {
        var waiting: DataRequest? = manager.request("not a url")
        if let waiting { registry.addWaiting(waiting) }
        #expect(registry.all.count == 1)
        if let waiting { registry.removeWaiting(waiting) }
        #expect(registry.all.isEmpty)
        if let waiting { registry.addWaiting(waiting) }
        waiting = nil
        #expect(registry.all.isEmpty)
    }
}
