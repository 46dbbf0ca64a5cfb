// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TestProofs
import Testing

@testable import Tern

@Suite struct TaskDelegateStateTests {
    private typealias State = TaskDelegate.State
    private struct Reason: Error {}
    private struct OtherReason: Error {}

    private final class Ignoring: SessionTaskDelegate {}

    private let handler = TaskDelegate.Waiter.handler { _ in }

    /// Tasks that are never started.
    private let task: SessionTask
    private let nextTask: SessionTask

    init() throws {
        let request = try URLRequest(url: "http://127.0.0.1:1/", method: .get)
        task = Session().dataTask(with: request, delegate: Ignoring())
        nextTask = Session().dataTask(with: request, delegate: Ignoring())
    }

    private func started(error: (any Error)? = nil) -> State {
        var state = State(request: nil, error: error)
        state.begin(task)
        return state
    }

    private func asks(_ state: inout State) -> Bool { state.ask() }

    private func concludes(_ ended: State.Ended) -> Bool { if case .conclude = ended { true } else { false } }

    @Test func `a plain end opens the gate at once`() {
        var state = started()
        #expect(state.admit(handler) == nil)
        guard case .open(.handler?, _) = state.end(with: nil, isPlain: true) else {
            Issue.record("no waiter was let in")
            return
        }
        #expect(state.stage == .over)
    }

    @Test func `validations without a waiter are left to the callback queue`() {
        var state = started()
        state.add(TaskDelegate.Validator { _, _ in nil })
        #expect(concludes(state.end(with: nil, isPlain: true)))
        var awaited = started()
        awaited.add(TaskDelegate.Validator { _, _ in nil })
        _ = awaited.admit(handler)
        #expect(!concludes(awaited.end(with: nil, isPlain: true)))
    }

    @Test func `an end that concerns others is concluded first`() {
        var state = started()
        #expect(concludes(state.end(with: Reason(), isPlain: false)))
        #expect(state.admit(handler) == nil)
        #expect(asks(&state))
        guard case .finish = state.answered(0, false) else {
            Issue.record("the request does not finish")
            return
        }
        guard case .handler? = state.open(mayBeReopened: false).waiter else {
            Issue.record("no waiter was let in")
            return
        }
        #expect(state.error is Reason)
    }

    @Test(.proves("5.5b")) func `the first error wins`() {
        var state = started(error: Reason())
        _ = state.end(with: OtherReason(), isPlain: true)
        #expect(state.completion.error is Reason)
    }

    @Test(.proves("12.5a")) func `a second answer, and one to an earlier question, counts for nothing`() {
        var state = started()
        _ = state.end(with: Reason(), isPlain: false)
        #expect(asks(&state))
        guard case .retry = state.answered(0, true), case .nothing = state.answered(0, false) else {
            Issue.record("the second answer counted")
            return
        }
        #expect(state.restart(with: nextTask) != nil)
        _ = state.end(with: Reason(), isPlain: false)
        #expect(asks(&state))
        guard case .nothing = state.answered(0, true) else {
            Issue.record("the answer to an earlier question counted")
            return
        }
    }

    @Test(.proves("2.17b", "5.4a"))
    func `a retry forgets what came of the last attempt, and keeps waiters and validators`() {
        var state = started()
        state.add(TaskDelegate.Validator { _, _ in nil })
        _ = state.admit(handler)
        _ = state.end(with: Reason(), isPlain: false)
        #expect(state.takeValidators().count == 1)
        _ = state.ask()
        _ = state.answered(0, true)
        #expect(state.restart(with: nextTask) != nil)
        #expect(state.stage == .running)
        #expect(state.task === nextTask)
        #expect(state.error == nil)
        #expect(state.retryCount == 1)
        #expect(state.takeValidators().count == 1)
        _ = state.end(with: nil, isPlain: false)
        guard case .handler? = state.open(mayBeReopened: false).waiter else {
            Issue.record("the handler was lost")
            return
        }
    }

    @Test func `cancelling ends the wait for a retry, also if a task comes then`() {
        var state = started()
        _ = state.end(with: Reason(), isPlain: false)
        _ = state.ask()
        _ = state.answered(0, true)
        #expect(state.cancel(as: OtherReason()).finishes)
        #expect(state.restart(with: nextTask) == nil)
        let isSettledTwice = state.settle(with: Reason())
        #expect(!isSettledTwice)
        #expect(state.error is OtherReason)
        #expect(state.stage == .settled)
    }

    @Test func `a request that is running has its task cancelled, and one that has ended is left alone`() {
        var state = started()
        #expect(state.cancel(as: Reason()).task === task)
        #expect(state.error == nil)
        _ = state.end(with: nil, isPlain: true)
        let finishes = state.cancel(as: Reason()).finishes
        #expect(!finishes)
        #expect(state.error == nil)
    }

    @Test func `a delegate without a task ends when it is resumed, but not while a retrier may have one made`() {
        var state = State(request: nil, error: Reason())
        _ = state.admit(handler)
        var asked = state
        guard case .handler? = state.endWithoutTask() else {
            Issue.record("no waiter was let in")
            return
        }
        #expect(asks(&asked))
        #expect(asked.endWithoutTask() == nil)
        _ = asked.answered(0, true)
        #expect(asked.restart(with: task) != nil)
        #expect(asked.error == nil)
    }

    @Test func `validations run once each, also those that come between the end and the first handler`() {
        var state = started()
        state.add(TaskDelegate.Validator { _, _ in nil })
        #expect(state.takeValidators().count == 1)
        state.add(TaskDelegate.Validator { _, _ in nil })
        _ = state.end(with: nil, isPlain: false)
        #expect(state.takeValidators().count == 1)
        #expect(state.takeValidators().isEmpty)
        #expect(state.open(mayBeReopened: false).spent.count == 2)
        state.add(TaskDelegate.Validator { _, _ in nil })
        #expect(state.takeValidators().count == 1)
        state.add(TaskDelegate.Validator { _, _ in nil })
        #expect(state.takeValidators().isEmpty)
    }
}
