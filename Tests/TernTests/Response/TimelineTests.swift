// SPDX-License-Identifier: Apache-2.0
import TestProofs
import Testing
import TernTesting

@testable import Tern

@Suite struct TimelineTests {
    private let timeline = Timeline(
        requestStartTime: 10, initialResponseTime: 10.25, requestCompletedTime: 11, serializationCompletedTime: 11.5)

    private let manager = SessionManager()

    @Test(.proves("8.13a")) func `durations are differences of times`() {
        #expect(timeline.latency == 0.25)
        #expect(timeline.requestDuration == 1)
        #expect(timeline.serializationDuration == 0.5)
        #expect(timeline.totalDuration == 1.5)
    }

    @Test(.proves("8.13b")) func `descriptions have milliseconds`() {
        let durations =
            #""Latency": 0.250 secs, "Request Duration": 1.000 secs, "Serialization Duration": 0.500 secs, "#
            + #""Total Duration": 1.500 secs"#
        #expect(timeline.description == "Timeline: { \(durations) }")
        #expect(
            timeline.debugDescription
                == #"Timeline: { "Request Start Time": 10.000, "Initial Response Time": 10.250, "#
                + #""Request Completed Time": 11.000, "Serialization Completed Time": 11.500, "# + "\(durations) }")
    }

    @Test func `without metrics everything happens now`() {
        let timeline = Timeline(nil, now: MonotonicInstant(nanoseconds: 5), today: 100)
        #expect(
            timeline
                == Timeline(
                    requestStartTime: 100, initialResponseTime: 100, requestCompletedTime: 100,
                    serializationCompletedTime: 100))
    }

    @Test(.proves("4.2c", "4.4f", "8.13d")) func `times of a real request are in order and add up`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("hello")] }
        let response = await manager.request(origin.url()).serializingData().response
        let timeline = response.timeline
        let times = [
            timeline.requestStartTime, timeline.initialResponseTime, timeline.requestCompletedTime,
            timeline.serializationCompletedTime,
        ]
        #expect(times == times.sorted())
        #expect(timeline.requestStartTime < timeline.initialResponseTime)
        #expect(
            abs(
                timeline.latency + (timeline.requestCompletedTime - timeline.initialResponseTime)
                    + timeline.serializationDuration - timeline.totalDuration) < 1e-6)
    }

    @Test(.proves("8.13c")) func `a request that gets no response completes when it would have responded`() async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.reset] }
        let response = await manager.request(origin.url(), method: .post).serializingData().response
        #expect(response.error != nil)
        #expect(response.timeline.initialResponseTime == response.timeline.requestCompletedTime)
    }
}
