// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestProofs
import Testing

@testable import Tern

@Suite struct DownloadTaskDelegateDownloadStateTests {
    private let temporary = URL(fileURLWithPath: "/tmp/a")
    private let target = URL(fileURLWithPath: "/tmp/b")

    private func moved() -> DownloadTaskDelegate.DownloadState {
        DownloadTaskDelegate.DownloadState(destination: { [target] _, _ in (target, []) })
    }

    @Test(.proves("5.11a")) func `without a destination the file stays, and no closure is called`() {
        var state = DownloadTaskDelegate.DownloadState(destination: nil)
        state.arrive(at: temporary)
        let waits = state.complete(with: .init(error: nil))
        #expect(state.file == temporary && !waits)
    }

    @Test(.proves("5.11a")) func `the end waits for the destination, which is asked once`() {
        var state = moved()
        state.arrive(at: temporary)
        let waits = state.complete(with: .init(error: nil))
        #expect(state.file == nil && waits)
        let locations = [state.takeArrived(), state.takeArrived()]
        #expect(locations == [temporary, nil])
        let replaces = state.name(target)
        #expect(!replaces && state.file == target)
        let ends = [state.takeEnd(), state.takeEnd()]
        #expect(ends[0] != nil && ends[1] == nil)
        #expect(state.outcome.temporaryURL == temporary && state.outcome.destinationURL == target)
    }

    @Test func `an error has the resume data`() {
        var state = moved()
        let error = SessionError(.cancelled, phase: .body, resumeData: Data([1]))
        let waits = state.complete(with: .init(error: error))
        #expect(waits && state.resumeData == Data([1]))
        let leftover = state.reset()
        #expect(leftover == nil && state.resumeData == nil)
    }

    @Test func `another attempt may take the place of what the last one has put there`() {
        var state = moved()
        state.arrive(at: temporary)
        _ = state.takeArrived()
        var replaces = [state.name(target)]
        state.placed = target
        let leftover = state.reset()
        #expect(leftover == nil && state.file == nil)
        replaces += [state.name(target), state.name(temporary)]
        #expect(replaces == [false, true, false])
    }

    @Test func `the file of the last attempt belongs to no request`() {
        var state = DownloadTaskDelegate.DownloadState(destination: nil)
        state.arrive(at: temporary)
        let leftover = state.reset()
        #expect(leftover == temporary && state.file == nil)
    }

    @Test func `a destination that has been released still counts`() {
        var state = moved()
        state.arrive(at: temporary)
        let destination = state.releaseClosures()
        #expect(destination != nil && state.destination == nil && state.file == nil)
    }
}
