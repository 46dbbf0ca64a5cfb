// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Tern

@Suite struct DownloadTaskDelegateArrivalTests {
    private let temporary = URL(fileURLWithPath: "/tmp/a")
    private let target = URL(fileURLWithPath: "/tmp/b")

    private func moved() -> DownloadTaskDelegate.Arrival {
        DownloadTaskDelegate.Arrival(destination: { [target] _, _ in (target, []) })
    }

    @Test func `without a destination the file stays, and no closure is called`() {
        var arrival = DownloadTaskDelegate.Arrival(destination: nil)
        arrival.arrive(at: temporary)
        let waits = arrival.complete(with: .init(error: nil))
        #expect(arrival.file == temporary && !waits)
    }

    @Test func `the end waits for the destination, which is asked once`() {
        var arrival = moved()
        arrival.arrive(at: temporary)
        let waits = arrival.complete(with: .init(error: nil))
        #expect(arrival.file == nil && waits)
        let locations = [arrival.takeArrived(), arrival.takeArrived()]
        #expect(locations == [temporary, nil])
        let replaces = arrival.name(target)
        #expect(!replaces && arrival.file == target)
        let ends = [arrival.takeEnd(), arrival.takeEnd()]
        #expect(ends[0] != nil && ends[1] == nil)
        #expect(arrival.outcome.temporaryURL == temporary && arrival.outcome.destinationURL == target)
    }

    @Test func `an error has the resume data`() {
        var arrival = moved()
        let error = SessionError(.cancelled, phase: .body, resumeData: Data([1]))
        let waits = arrival.complete(with: .init(error: error))
        #expect(waits && arrival.resumeData == Data([1]))
        let leftover = arrival.reset()
        #expect(leftover == nil && arrival.resumeData == nil)
    }

    @Test func `another attempt may take the place of what the last one has put there`() {
        var arrival = moved()
        arrival.arrive(at: temporary)
        _ = arrival.takeArrived()
        var replaces = [arrival.name(target)]
        arrival.placed = target
        let leftover = arrival.reset()
        #expect(leftover == nil && arrival.file == nil)
        replaces += [arrival.name(target), arrival.name(temporary)]
        #expect(replaces == [false, true, false])
    }

    @Test func `the file of the last attempt belongs to no request`() {
        var arrival = DownloadTaskDelegate.Arrival(destination: nil)
        arrival.arrive(at: temporary)
        let leftover = arrival.reset()
        #expect(leftover == temporary && arrival.file == nil)
    }

    @Test func `a destination that has been released still counts`() {
        var arrival = moved()
        arrival.arrive(at: temporary)
        let destination = arrival.releaseClosures()
        #expect(destination != nil && arrival.destination == nil && arrival.file == nil)
    }
}
