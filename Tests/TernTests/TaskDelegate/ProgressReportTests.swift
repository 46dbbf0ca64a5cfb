// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import Testing

@testable import Tern

@Suite struct ProgressReportTests {
    private let callbacks = CallbackQueue(DispatchQueue(label: "callbacks"))

    @Test func `a queue that is busy finds one report with the latest numbers`() {
        let queue = DispatchQueue(label: "busy")
        let report = ProgressReport(callbacks: callbacks, (0, of: 0))
        let seen = Lock<[Int64]>([])
        report.tell(on: queue) { progress in seen.withLock { $0.append(progress.completedUnitCount) } }
        let isFree = DispatchSemaphore(value: 0)
        queue.async { isFree.wait() }
        for count in 1...5 { report.update(Int64(count), of: 5) }
        isFree.signal()
        queue.sync {}
        #expect(seen.withLock { $0 } == [5])
        #expect(report.progress.totalUnitCount == 5)
    }

    @Test func `the report that waits when the request ends is the last`() {
        let queue = DispatchQueue(label: "busy")
        let report = ProgressReport(callbacks: callbacks, (0, of: 0))
        let seen = Lock<[Int64]>([])
        report.tell(on: queue) { progress in seen.withLock { $0.append(progress.completedUnitCount) } }
        let isFree = DispatchSemaphore(value: 0)
        queue.async { isFree.wait() }
        report.update(1, of: 2)
        report.letGo()
        isFree.signal()
        queue.sync {}
        report.update(2, of: 2)
        queue.sync {}
        #expect(seen.withLock { $0 } == [1])
    }

    @Test func `a report that comes late begins with what there is`() {
        let report = ProgressReport(callbacks: callbacks, (3, of: 4))
        #expect(report.progress.fractionCompleted == 0.75)
    }
}
