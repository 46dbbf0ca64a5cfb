// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import Testing

@testable import Tern

@Suite struct DataTaskDelegateStateTests {
    private typealias State = DataTaskDelegate.State
    private struct Reason: Error {}

    private final class Ignoring: SessionTaskDelegate {
        func task(_ task: SessionTask, didCompleteWith error: EngineError?) {}
    }

    private let handler = DataTaskDelegate.Visitor.handler { _ in }

    private func state(error: (any Error)? = nil, bodyLimit: Int = 100) -> State {
        State(request: nil, error: error, bodyLimit: bodyLimit)
    }

    /// A task that nobody runs.
    private let task: SessionTask

    init() throws {
        task = Session().dataTask(with: try URLRequest(url: "http://127.0.0.1:1/", method: .get), delegate: Ignoring())
    }

    private func receive(_ text: String, _ state: inout State) -> State.Intake {
        state.receive(Array(text.utf8).span, of: task)
    }

    /// More than may wait.
    private func flood(_ state: inout State) -> State.Intake {
        state.receive([UInt8](repeating: 0, count: Valve.highWater + 1).span, of: task)
    }

    private func delivered(_ step: State.CallbackStep) -> String? {
        guard case .deliver(let delivery) = step else { return nil }
        return String(decoding: delivery.bytes, as: UTF8.self)
    }

    @Test func `a body that nobody streams is collected`() {
        var state = state()
        #expect(receive("hello ", &state).delivers == false)
        #expect(receive("world", &state).delivers == false)
        #expect(state.complete(with: nil, metrics: nil).visitor == nil)
        #expect(state.validate().0.data == Data("hello world".utf8))
    }

    @Test func `one byte more than the limit gives up, and what follows is not kept`() {
        var state = state(bodyLimit: 5)
        #expect(!receive("hello", &state).overflows)
        #expect(receive("!", &state).overflows)
        #expect(!receive("more", &state).overflows)
        _ = state.complete(with: nil, metrics: nil)
        let completion = state.validate().0
        #expect(completion.data == Data())
        guard case .transfer(.bodyTooLarge(limit: 5))? = (completion.error as? EngineError)?.reason else {
            Issue.record("\(String(describing: completion.error))")
            return
        }
    }

    @Test func `the callback queue is asked to deliver once, until it has run out of bytes`() {
        var state = state()
        #expect(state.setStream { _ in }.delivers == false)
        #expect(receive("a", &state).delivers)
        #expect(receive("b", &state).delivers == false)
        #expect(delivered(state.firstStep()) == "ab")
        #expect(receive("c", &state).delivers == false)
        #expect(delivered(state.firstStep()) == "c")
        #expect(delivered(state.firstStep()) == nil)
        #expect(receive("d", &state).delivers)
    }

    @Test func `the gate stays shut until the stream has had the last byte`() {
        var state = state()
        _ = state.setStream { _ in }
        #expect(receive("a", &state).delivers)
        #expect(state.admit(handler) == nil)
        #expect(state.complete(with: nil, metrics: nil).visitor == nil)
        #expect(delivered(state.firstStep()) == "a")
        guard case .receive(.handler?, _) = state.firstStep() else {
            Issue.record("the handler was not let in")
            return
        }
        #expect(state.nextVisitor() == nil)
    }

    @Test func `a stream that has had the last byte is given back on the callback queue, before the gate opens`() {
        var state = state()
        _ = state.setStream { _ in }
        #expect(state.admit(handler) == nil)
        let (delivers, visitor) = state.complete(with: nil, metrics: nil)
        #expect(delivers)
        #expect(visitor == nil)
        guard case .receive(.handler?, spent: _?) = state.firstStep() else {
            Issue.record("nobody was let in, or nothing given back")
            return
        }
        #expect(state.validate().0.data == nil)
    }

    @Test func `a stream that comes before completion has what was there delivered`() {
        var state = state()
        _ = receive("early", &state)
        let change = state.setStream { _ in }
        #expect(change.delivers)
        #expect(!change.isLate)
        #expect(delivered(state.firstStep()) == "early")
    }

    @Test func `a stream that comes after completion waits its turn`() {
        var state = state()
        _ = receive("early", &state)
        _ = state.complete(with: nil, metrics: nil)
        let change = state.setStream { _ in }
        #expect(!change.delivers)
        #expect(change.isLate)
        #expect(state.takeDelivery()?.bytes == Data("early".utf8))
        #expect(state.takeDelivery() == nil)
    }

    @Test func `a stream that is behind stops the socket, until what waits is delivered`() {
        var state = state()
        _ = state.setStream { _ in }
        #expect(receive("a", &state).held == nil)
        #expect(flood(&state).held === task)
        #expect(flood(&state).held == nil)
        #expect(state.takeDelivery()?.held === task)
        #expect(receive("b", &state).held == nil)
        #expect(state.takeDelivery()?.held == nil)
    }

    @Test func `a socket does not stay stopped for a stream that has gone`() {
        var state = state()
        _ = state.setStream { _ in }
        #expect(flood(&state).held === task)
        #expect(state.setStream(nil).held === task)
        #expect(state.setStream(nil).held == nil)
    }

    @Test func `the first error wins`() {
        var state = state(error: Reason())
        _ = state.complete(with: EngineError(.cancelled, phase: .request), metrics: nil)
        #expect(state.validate().0.error is Reason)
    }

    @Test func `validations are given out once, whether they are to run or only to go`() {
        var fresh = state()
        fresh.add { _, _, _ in .success }
        #expect(fresh.validate().1.count == 1)
        fresh.add { _, _, _ in .success }
        #expect(fresh.validate().1.isEmpty)
        var failed = state(error: Reason())
        failed.add { _, _, _ in .success }
        #expect(failed.validate().1.count == 1)
        #expect(failed.validate().1.isEmpty)
    }
}
