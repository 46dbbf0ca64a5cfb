// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct ValveTests {
    /// A task that is never started.
    private let task: SessionTask

    init() throws {
        let request = URLRequest(url: try #require(URL(string: "http://localhost/")))
        task = Session.limited().dataTask(with: request, delegate: RecordingDelegate())
    }

    private func fill(_ valve: inout Valve, _ count: Int) -> String {
        valve.fill(to: count, from: task) === task ? "hold" : "go on"
    }

    private func drain(_ valve: inout Valve) -> String { valve.drain() === task ? "release" : "go on" }

    @Test func `holds above the mark, once, and releases once`() {
        var valve = Valve()
        #expect(drain(&valve) == "go on")
        #expect(fill(&valve, Valve.highWater) == "go on")
        #expect(fill(&valve, Valve.highWater + 1) == "hold")
        #expect(fill(&valve, Valve.highWater + 2) == "go on")
        #expect(drain(&valve) == "release")
        #expect(drain(&valve) == "go on")
        #expect(fill(&valve, .max) == "hold")
        #expect(drain(&valve) == "release")
    }

    @Test func `acting on its answers in any order leaves the task running`() {
        var valve = Valve()
        for isOvertaken in [false, true] {
            let held = valve.fill(to: .max, from: task)
            let released = valve.drain()
            if isOvertaken {
                released?.release()
                held?.hold()
            } else {
                held?.hold()
                #expect(task.isSuspended)
                released?.release()
            }
            #expect(!task.isSuspended)
        }
    }

    @Test func `keeps a task no longer than it is held`() throws {
        var valve = Valve()
        weak var released: SessionTask?
        do {
            let request = task.originalRequest
            let task = Session.limited().dataTask(with: request, delegate: RecordingDelegate())
            released = task
            _ = valve.fill(to: .max, from: task)
            _ = valve.drain()
        }
        #expect(released == nil)
        _ = valve
    }
}
