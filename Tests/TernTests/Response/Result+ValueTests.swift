// SPDX-License-Identifier: Apache-2.0
import TestProofs
import Testing

@testable import Tern

@Suite struct ResultValueTests {
    private struct Reason: Error, Equatable {}

    private let good = Result<Int, any Error>.success(1)
    private let bad = Result<Int, any Error>.failure(Reason())

    @Test(.proves("8.1a")) func `a result knows how it went`() {
        #expect(good.isSuccess && !good.isFailure && good.value == 1 && good.error == nil)
        #expect(bad.isFailure && !bad.isSuccess && bad.value == nil && bad.error is Reason)
    }

    @Test(.proves("8.1b")) func `unwrapping gives the value or throws the error`() throws {
        #expect(try good.unwrap() == 1)
        #expect(throws: Reason()) { try bad.unwrap() }
    }

    @Test(.proves("8.1b")) func `a closure makes a result by returning or throwing`() {
        #expect(Result(value: { 2 }).value == 2)
        #expect(Result<Int, any Error>(value: { throw Reason() }).error is Reason)
    }

    @Test(.proves("8.1c")) func `what a transform throws is the error`() {
        #expect(good.flatMap { value throws in value + 1 }.value == 2)
        #expect(good.flatMap { _ throws -> String in throw Reason() }.error is Reason)
        #expect(bad.flatMap { value throws in value + 1 }.error is Reason)
    }

    @Test(.proves("8.1d")) func `closures run in the case they are for`() {
        var calls: [String] = []
        good.withValue { calls.append("value \($0)") }.withError { calls.append("error \($0)") }
            .ifSuccess { calls.append("success") }.ifFailure { calls.append("failure") }
        bad.withValue { calls.append("value \($0)") }.withError { calls.append("error \($0)") }
            .ifSuccess { calls.append("success") }.ifFailure { calls.append("failure") }
        #expect(calls == ["value 1", "success", "error Reason()", "failure"])
    }

    @Test(.proves("8.1d")) func `the error of a closure is passed on`() {
        #expect(throws: Reason()) { try good.withValue { _ in throw Reason() } }
        #expect(throws: Reason()) { try bad.withError { throw $0 } }
        #expect(throws: Reason()) { try good.ifSuccess { throw Reason() } }
        #expect(throws: Reason()) { try bad.ifFailure { throw Reason() } }
        #expect(throws: Never.self) { try bad.withValue { _ in throw Reason() }.ifSuccess { throw Reason() } }
    }

    private struct Other: Error, Equatable {}

    @Test(.proves("8.1c")) func `an error becomes another, or the one that the closure throws`() {
        #expect(bad.flatMapError { _ in Other() }.error is Other)
        #expect(bad.flatMapError { _ throws -> Reason in throw Other() }.error is Other)
        #expect(good.flatMapError { _ in Other() }.value == 1)
    }

    @Test(.proves("8.1e")) func `a description is the word, the long one also what it is about`() {
        #expect(good.description == "SUCCESS" && bad.description == "FAILURE")
        #expect(good.debugDescription == "SUCCESS: 1")
        #expect(bad.debugDescription == "FAILURE: Reason()")
    }
}
