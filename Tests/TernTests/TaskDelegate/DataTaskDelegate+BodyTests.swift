// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TestProofs
import Testing

@testable import Tern

@Suite struct DataTaskDelegateBodyTests {
    private typealias Body = DataTaskDelegate.Body
    private struct Reason: Error {}

    private final class Ignoring: SessionTaskDelegate {}

    /// A task that is never started.
    private let task: SessionTask

    init() throws {
        task = Session().dataTask(with: try URLRequest(url: "http://127.0.0.1:1/", method: .get), delegate: Ignoring())
    }

    private func receive(_ text: String, _ body: inout Body) -> Body.Intake {
        body.receive(Array(text.utf8).span, of: task)
    }

    /// More than may wait.
    private func flood(_ body: inout Body) -> Body.Intake {
        body.receive([UInt8](repeating: 0, count: Valve.highWater + 1).span, of: task)
    }

    private func delivered(_ step: Body.DeliveryStep) -> String? {
        guard case .deliver(let delivery) = step else { return nil }
        return String(decoding: delivery.bytes, as: UTF8.self)
    }

    @Test(.proves("5.9a")) func `a body without a stream closure is collected`() {
        var body = Body(BodyLimits(size: 100))
        #expect(receive("hello ", &body).delivers == false)
        #expect(receive("world", &body).delivers == false)
        #expect(body.complete(with: nil).end != nil)
        #expect(body.data == Data("hello world".utf8))
        #expect(body.received == 11)
    }

    @Test func `one byte more than the limit gives up, and what follows is not kept`() throws {
        var body = Body(BodyLimits(size: 5))
        #expect(!receive("hello", &body).overflows)
        #expect(receive("!", &body).overflows)
        #expect(!receive("more", &body).overflows)
        let end = try #require(body.complete(with: Reason()).end)
        #expect(body.data == Data())
        guard case .transfer(.bodyTooLarge(limit: 5))? = (end.error as? SessionError)?.reason else {
            Issue.record("\(String(describing: end.error))")
            return
        }
    }

    @Test(.proves("5.10c")) func `the callback queue is asked to deliver once, until it has run out of bytes`() {
        var body = Body(BodyLimits(size: 100))
        #expect(body.setStream { _ in }.delivers == false)
        #expect(receive("a", &body).delivers)
        #expect(receive("b", &body).delivers == false)
        #expect(delivered(body.nextStep()) == "ab")
        #expect(receive("c", &body).delivers == false)
        #expect(delivered(body.nextStep()) == "c")
        #expect(delivered(body.nextStep()) == nil)
        #expect(receive("d", &body).delivers)
    }

    @Test func `the end waits until the stream has had the last byte`() {
        var body = Body(BodyLimits(size: 100))
        _ = body.setStream { _ in }
        #expect(receive("a", &body).delivers)
        let (end, delivers) = body.complete(with: Reason())
        #expect(end == nil)
        #expect(!delivers)
        #expect(delivered(body.nextStep()) == "a")
        guard case .rest(let last?) = body.nextStep() else {
            Issue.record("the end was lost")
            return
        }
        #expect(last.error is Reason)
        #expect(body.takeStream() != nil)
        #expect(body.data == nil)
    }

    @Test func `the end passes through the callback queue even if the stream has nothing to do`() {
        var body = Body(BodyLimits(size: 100))
        _ = body.setStream { _ in }
        let (end, delivers) = body.complete(with: nil)
        #expect(end == nil)
        #expect(delivers)
        guard case .rest(_?) = body.nextStep() else {
            Issue.record("the end was lost")
            return
        }
    }

    @Test func `a stream that comes before completion has what was there delivered`() {
        var body = Body(BodyLimits(size: 100))
        _ = receive("early", &body)
        let change = body.setStream { _ in }
        #expect(change.delivers)
        #expect(!change.isLate)
        #expect(delivered(body.nextStep()) == "early")
    }

    @Test func `a stream that is added after completion waits in order`() {
        var body = Body(BodyLimits(size: 100))
        _ = receive("early", &body)
        _ = body.complete(with: nil)
        let change = body.setStream { _ in }
        #expect(!change.delivers)
        #expect(change.isLate)
        #expect(body.takeDelivery()?.bytes == Data("early".utf8))
        #expect(body.takeDelivery() == nil)
    }

    @Test func `a stream that is behind stops the socket, until what waits is delivered`() {
        var body = Body(BodyLimits(size: 100))
        _ = body.setStream { _ in }
        #expect(receive("a", &body).held == nil)
        #expect(flood(&body).held === task)
        #expect(flood(&body).held == nil)
        #expect(body.takeDelivery()?.held === task)
        #expect(receive("b", &body).held == nil)
        #expect(body.takeDelivery()?.held == nil)
    }

    @Test func `a socket does not stay stopped for a stream that has gone`() {
        var body = Body(BodyLimits(size: 100))
        _ = body.setStream { _ in }
        #expect(flood(&body).held === task)
        #expect(body.setStream(nil).held === task)
        #expect(body.setStream(nil).held == nil)
    }

    @Test(.proves("5.4a", "5.9c")) func `another attempt finds an empty body and the same stream`() {
        var body = Body(BodyLimits(size: 5))
        _ = receive("too long", &body)
        _ = body.complete(with: nil)
        body.reset()
        #expect(receive("short", &body).overflows == false)
        #expect(body.received == 5)
        #expect(body.complete(with: nil).end?.error == nil)
        var streamed = Body(BodyLimits(size: 5))
        _ = streamed.setStream { _ in }
        _ = streamed.complete(with: nil)
        _ = streamed.nextStep()
        streamed.reset()
        #expect(receive("again", &streamed).delivers)
        #expect(delivered(streamed.nextStep()) == "again")
    }
}
