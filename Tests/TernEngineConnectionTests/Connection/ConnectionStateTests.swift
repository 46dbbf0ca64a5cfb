// SPDX-License-Identifier: Apache-2.0
import Glibc
import TernIO
import Testing

@testable import TernEngine

/// Dialogues: what happened to a connection, and what the state says to it.
@Suite struct ConnectionStateTests {
    private static let error = SystemCallError(.send, code: EPIPE)

    private static func idle() -> ConnectionState { ConnectionState() }

    private static func active() -> ConnectionState {
        var state = ConnectionState()
        state.begin()
        return state
    }

    private static func finishing() -> ConnectionState {
        var state = active()
        state.responseEnded()
        return state
    }

    private static func closed() -> ConnectionState {
        var state = active()
        _ = state.close()
        return state
    }

    @Test func `exchange follows exchange`() {
        var state = Self.idle()
        for count in 1...3 {
            state.begin()
            let began = (state.stage, state.exchangeCount)
            state.responseEnded()
            let ended = state.stage
            let ending = state.finish(isExchangeReusable: true, isSending: false)
            let (rests, isTainted) = (state.stage, state.isTainted)
            #expect(began == (.active, count))
            #expect(ended == .finishing && rests == .idle)
            #expect(ending == .reuse && !isTainted)
        }
    }

    @Test func `an exchange begins only on an idle connection, and a response ends only in one`() {
        var active = Self.active()
        active.begin()
        let count = active.exchangeCount
        #expect(count == 1)
        var closed = Self.closed()
        closed.begin()
        closed.responseEnded()
        let stage = closed.stage
        #expect(stage == .closed)
        var resting = Self.idle()
        resting.responseEnded()
        let (still, ending) = (resting.stage, resting.finish(isExchangeReusable: true, isSending: false))
        #expect(still == .idle && ending == nil)
    }

    @Test func `a connection is used again only if the exchange allows it and all of the request is out`() {
        for (isReusable, isSending) in [(false, false), (true, true), (false, true)] {
            var state = Self.finishing()
            let ending = state.finish(isExchangeReusable: isReusable, isSending: isSending)
            #expect(ending == .close)
        }
    }

    @Test func `what comes behind a response taints its connection`() {
        var stray = Self.finishing()
        let strayed = (stray.unexpectedBytes(), stray.finish(isExchangeReusable: true, isSending: false))
        #expect(strayed == (.none, .close))
        var ended = Self.finishing()
        let end = (ended.inputEnded(), ended.finish(isExchangeReusable: true, isSending: false))
        #expect(end == (.none, .close))
    }

    @Test func `any byte on an idle connection ends it`() {
        var stray = Self.idle()
        var ended = Self.idle()
        var broken = Self.idle()
        let said = [stray.unexpectedBytes(), ended.inputEnded(), broken.outputFailed(Self.error)]
        #expect(said == [.retire, .retire, .retire])
    }

    @Test func `an exchange breaks off when nothing more comes, not when nothing more can be sent`() {
        var ended = Self.active()
        let end = ended.inputEnded()
        #expect(end == .breakOff)
        var broken = Self.active()
        let failure = broken.outputFailed(Self.error)
        let (reason, stage) = (broken.sendingError, broken.stage)
        #expect(failure == .none && reason == Self.error && stage == .active)
        broken.responseEnded()
        let ending = broken.finish(isExchangeReusable: true, isSending: false)
        #expect(ending == .close)
    }

    @Test func `bytes that belong to no exchange are not forgotten by the current one`() {
        var state = Self.active()
        let said = state.unexpectedBytes()
        state.responseEnded()
        let ending = state.finish(isExchangeReusable: true, isSending: false)
        #expect(said == .none && ending == .close)
    }

    @Test func `a pause does not outlive its exchange`() {
        var state = Self.active()
        state.isPaused = true
        state.responseEnded()
        _ = state.finish(isExchangeReusable: true, isSending: false)
        let isPaused = state.isPaused
        #expect(!isPaused)
    }

    @Test func `closing returns the previous state, and is final`() {
        var resting = Self.idle()
        var active = Self.active()
        var finishing = Self.finishing()
        let before = [resting.close(), active.close(), finishing.close()]
        #expect(before == [.idle, .active, .finishing])
        let again = active.close()
        #expect(again == .closed)
        let (end, ending) = (active.inputEnded(), active.finish(isExchangeReusable: true, isSending: false))
        #expect(end == .none && ending == nil)
    }
}
