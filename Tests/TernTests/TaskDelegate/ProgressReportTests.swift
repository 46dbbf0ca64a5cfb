// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import Testing

@testable import Tern

@Suite struct ProgressReportTests {
    private let callbacks = CallbackQueue(on: DispatchQueue(label: "callbacks"))
    private let queue = DispatchQueue(label: "busy")
    private let journal = Journal()

    private func note(_ progress: Progress) { journal.note("\(progress.completedUnitCount)") }

    @Test func `a queue that is busy finds one report with the latest numbers`() {
        let report = ProgressReport(callbacks: callbacks, (0, of: 0))
        report.tell(on: queue) { note($0) }
        let isFree = DispatchSemaphore(value: 0)
        queue.async { isFree.wait() }
        for count in 1...5 { report.update(Int64(count), of: 5) }
        isFree.signal()
        queue.sync {}
        #expect(journal.entries == ["5"])
        #expect(report.progress.totalUnitCount == 5)
    }

    @Test func `the report that waits when the request ends is the last`() {
        let report = ProgressReport(callbacks: callbacks, (0, of: 0))
        report.tell(on: queue) { note($0) }
        let isFree = DispatchSemaphore(value: 0)
        queue.async { isFree.wait() }
        report.update(1, of: 2)
        report.releaseClosures()
        isFree.signal()
        queue.sync {}
        report.update(2, of: 2)
        queue.sync {}
        #expect(journal.entries == ["1"])
    }

    @Test func `a late handler receives the current progress, once`() {
        let report = ProgressReport(callbacks: callbacks, (3, of: 4))
        #expect(report.progress.fractionCompleted == 0.75)
        report.tell(on: queue) { note($0) }
        queue.sync {}
        report.releaseClosures()
        report.tell(on: queue) { note($0) }
        report.releaseClosures()
        queue.sync {}
        #expect(journal.entries == ["3", "3"])
    }

    @Test func `without progress there is no report`() {
        let report = ProgressReport(callbacks: callbacks, (0, of: 4))
        report.tell(on: queue) { note($0) }
        queue.sync {}
        #expect(journal.entries == [])
    }

    @Test func `a sequence has the latest numbers, and ends with the request`() async {
        let report = ProgressReport(callbacks: callbacks, (0, of: 0))
        let updates = report.updates(.bufferingNewest(1))
        for count in 1...5 { report.update(Int64(count), of: 5) }
        report.releaseClosures()
        #expect(await updates.reduce(into: []) { $0.append($1.completedUnitCount) } == [5])
        let late = report.updates(.bufferingNewest(1))
        #expect(await late.reduce(into: []) { $0.append($1.fractionCompleted) } == [1])
    }

    @Test func `a sequence ends with its report`() async {
        var report: ProgressReport? = ProgressReport(callbacks: callbacks, (0, of: 0))
        let updates = report?.updates(.unbounded)
        report?.update(1, of: 2)
        report = nil
        let seen = await updates?.reduce(into: []) { $0.append($1.completedUnitCount) }
        #expect(seen == [1] || seen == nil)
    }
}
