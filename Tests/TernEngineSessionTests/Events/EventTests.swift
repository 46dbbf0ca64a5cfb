// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// What a task says of itself, journey by journey.
@Suite(.timeLimit(.minutes(1))) struct EventTests {
    @Test(arguments: AbilitiesTests.columns)
    func `each journey says this, and nothing else`(column: AbilitiesTests.Column) async throws {
        let observer = try await AbilitiesTests.observe(column, nil)
        // A request may come in time for the rate.
        let text = observer.text.replacing("waiting(rate) waited(rate) ", with: "")
        #expect(text == Self.expected[column.testDescription]?.onOneLine)
        #expect(observer.faults == [])
    }

    @Test(arguments: AbilitiesTests.Ability.allCases)
    func `so does each ability, for one request`(ability: AbilitiesTests.Ability) async throws {
        let column = try #require(AbilitiesTests.columns.first { $0.testDescription == "a range" })
        let observer = try await AbilitiesTests.observe(column, ability)
        #expect(observer.text == Self.expectedOfAbilities[ability]?.onOneLine)
    }

    @Test(arguments: AbilitiesTests.Ability.allCases, AbilitiesTests.columns)
    func `with each ability what begins ends, and the metrics are the fold of the events`(
        ability: AbilitiesTests.Ability, column: AbilitiesTests.Column
    ) async throws {
        let observer = try await AbilitiesTests.observe(column, ability)
        #expect(observer.faults == [])
        #expect(observer.completedCount > 0)
    }

    private static let expected = [
        "redirects": """
        [started hop(0) attempt(1) connecting connected will-send head(302) redirect answered(follow)
        attempt-over(1: 302, redirect) hop-over hop(1) attempt(2) will-send head(307) redirect answered(follow)
        attempt-over(2: 307, redirect) hop-over hop(2) attempt(3) will-send head(200) response answered(allow)
        response-over attempt-over(3: 200) hop-over completed]
        """,
        "cookies that are set and sent": """
        [started hop(0) attempt(1) connecting connected will-send head(200) response answered(allow) response-over
        attempt-over(1: 200) hop-over completed] [started hop(0) prepared attempt(1) will-send head(200) response
        answered(allow) response-over attempt-over(1: 200) hop-over completed]
        """,
        "a login by Basic": """
        [started hop(0) attempt(1) connecting connected will-send head(401) discarded(401) attempt-over(1: 401,
        challenge) hop-over hop(1) attempt(2) prepared will-send head(200) response answered(allow) response-over
        attempt-over(2: 200) hop-over completed]
        """,
        "a login by Digest": """
        [started hop(0) attempt(1) connecting connected will-send head(401) discarded(401) attempt-over(1: 401,
        challenge) hop-over hop(1) attempt(2) prepared will-send head(200) response answered(allow) response-over
        attempt-over(2: 200) hop-over completed]
        """,
        "a token that is refreshed": """
        [started hop(0) waiting(lookUp) waited(lookUp) prepared attempt(1) connecting connected will-send
        head(401) discarded(401) waiting(lookUp) waited(lookUp) attempt-over(1: 401, challenge) hop-over hop(1)
        prepared attempt(2) will-send head(200) response answered(allow) response-over attempt-over(2: 200)
        hop-over completed] [started hop(0) waiting(lookUp) waited(lookUp) prepared attempt(1) will-send head(200)
        response answered(allow) response-over attempt-over(1: 200) hop-over completed]
        """,
        "a stored response that is fresh": """
        [started hop(0) prepared prepared attempt(1) connecting connected will-send head(200) response
        answered(allow) response-over attempt-over(1: 200) hop-over(fwd=uri-miss; stored) will-cache completed]
        [started hop(0) prepared head(200) response answered(allow) response-over hop-over(hit; ttl=60) completed]
        """,
        "a stored response that is validated meanwhile": """
        [started hop(0) prepared prepared attempt(1) connecting connected will-send head(200) response
        answered(allow) response-over attempt-over(1: 200) hop-over(fwd=uri-miss; stored) will-cache completed]
        [started hop(0) prepared head(200) response answered(allow) response-over hop-over(hit; ttl=-9) completed]
        [started hop(0) prepared prepared attempt(1) will-send head(304) discarded(304) head(200) response
        answered(allow) response-over attempt-over(1: 304) hop-over(fwd=request; fwd-status=304) completed]
        [started hop(0) prepared head(200) response answered(allow) response-over hop-over(hit; ttl=1) completed]
        """,
        "a stored response in place of an error": """
        [started hop(0) prepared prepared attempt(1) connecting connected will-send head(200) response
        answered(allow) response-over attempt-over(1: 200) hop-over(fwd=uri-miss; stored) will-cache completed]
        [started hop(0) prepared prepared attempt(1) will-send head(500) discarded(500) head(200) response
        answered(allow) response-over attempt-over(1: 500) hop-over(fwd=stale; fwd-status=500; ttl=-9) completed]
        """,
        "two equal requests at a time": """
        [started hop(0) prepared prepared attempt(1) connecting connected will-send head(200) response
        answered(allow) response-over attempt-over(1: 200) hop-over(fwd=uri-miss; stored) will-cache completed]
        [started hop(0) prepared waiting(lookUp) waited(lookUp) head(200) response answered(allow) response-over
        hop-over(hit; ttl=60; collapsed) completed]
        """,
        "a range": """
        [started hop(0) attempt(1) connecting connected will-send head(206) response answered(allow) response-over
        attempt-over(1: 206) hop-over completed]
        """,
        "a download to a file": """
        [started hop(0) attempt(1) connecting connected will-send head(200) response answered(allow) response-over
        attempt-over(1: 200) hop-over completed]
        """,
        "a proxy with a password": """
        [started hop(0) attempt(1) prepared connecting connected will-send head(407) discarded(407)
        attempt-over(1: 407, challenge) attempt(2) prepared will-send head(302) redirect answered(follow)
        attempt-over(2: 302, redirect) hop-over hop(1) attempt(3) prepared will-send head(200) response
        answered(allow) response-over attempt-over(3: 200) hop-over completed]
        """,
        "a tunnel through a proxy with a password": """
        [started hop(0) attempt(1) connecting connected tunnelling connecting connected tunnelling securing
        secured will-send head(302) redirect answered(follow) attempt-over(1: 302, redirect) hop-over hop(1)
        attempt(2) will-send head(200) response answered(allow) response-over attempt-over(2: 200) hop-over
        completed]
        """,
        "an egress policy that refuses the server": """
        [started hop(0) attempt(1) connection-failed attempt-over(1: egress-refused) hop-over
        completed(egress-refused)]
        """,
        "a rate, and two connections": """
        [started hop(0) attempt(1) connecting connected will-send head(200) response answered(allow) response-over
        attempt-over(1: 200) hop-over completed] [started hop(0) attempt(1) will-send head(200) response
        answered(allow) response-over attempt-over(1: 200) hop-over completed] [started hop(0) attempt(1)
        will-send head(200) response answered(allow) response-over attempt-over(1: 200) hop-over completed]
        [started hop(0) attempt(1) will-send head(200) response answered(allow) response-over attempt-over(1: 200)
        hop-over completed]
        """,
        "an upload of data": """
        [started hop(0) attempt(1) connecting connected will-send sent-body-data head(200) response
        answered(allow) response-over attempt-over(1: 200) hop-over completed]
        """,
        "an upload of a stream": """
        [started hop(0) attempt(1) connecting connected will-send sent-body-data head(200) response
        answered(allow) response-over attempt-over(1: 200) hop-over completed]
        """,
        "an upload of a stream that can be read once": """
        [started hop(0) attempt(1) connecting connected will-send sent-body-data head(200) response
        answered(allow) response-over attempt-over(1: 200) hop-over completed]
        """,
        "an upload that must not be repeated": """
        [started hop(0) attempt(1) connecting connected will-send sent-body-data head(200) response
        answered(allow) response-over attempt-over(1: 200) hop-over completed]
        """,
        "server-sent events": """
        [started hop(0) attempt(1) connecting connected will-send head(200) response answered(allow) response-over
        attempt-over(1: 200) hop-over completed]
        """,
        "an upgrade": """
        [started hop(0) attempt(1) connecting connected will-send head(101) response answered(allow)
        attempt-over(1: 101) hop-over completed] [started hop(0) attempt(1) will-send attempt-over(1: cancelled)
        hop-over completed(cancelled)]
        """,
        "an informational response, and trailers": """
        [started hop(0) attempt(1) connecting connected will-send informational(103) head(200) response
        answered(allow) response-over attempt-over(1: 200) hop-over completed]
        """,
        "a reader that is suspended at the head": """
        [started hop(0) attempt(1) connecting connected will-send head(200) response answered(allow) response-over
        attempt-over(1: 200) hop-over completed]
        """,
        "a cancellation while the server is silent": """
        [started hop(0) attempt(1) connecting connected will-send attempt-over(1: cancelled) hop-over
        completed(cancelled)]
        """,
        "a total timeout": """
        [started hop(0) attempt(1) connecting connected will-send attempt-over(1: timed-out) hop-over
        completed(timed-out)]
        """,
    ]

    private static let expectedOfAbilities: [AbilitiesTests.Ability: String] = [
        .hedge: """
        [started hop(0) attempt(1) connecting connected will-send hedge(2) connecting connected will-send
        attempt-over(1: cancelled) head(206) response answered(allow) response-over attempt-over(2: 206) hop-over
        completed]
        """,
        .retry: """
        [started hop(0) attempt(1) connecting connected will-send head(503) will-retry answered(retry) retrying
        discarded(503) attempt-over(1: 503, retry) waiting(delay) waited(delay) attempt(2) will-send head(206)
        response answered(allow) response-over attempt-over(2: 206) hop-over completed]
        """,
        .breaker: """
        [started hop(0) attempt(1) connecting connected will-send head(206) response answered(allow) response-over
        attempt-over(1: 206) hop-over completed]
        """,
        .decliningClass: """
        [started hop(0) waiting(lookUp) waited(lookUp) attempt(1) connecting connected will-send head(206)
        response answered(allow) response-over attempt-over(1: 206) hop-over completed]
        """,
        .answeringClass: """
        [started hop(0) waiting(lookUp) waited(lookUp) head(206) response answered(allow) response-over hop-over
        completed] [started hop(0) attempt(1) connecting connected will-send head(206) response answered(allow)
        response-over attempt-over(1: 206) hop-over completed]
        """,
    ]
}

extension String {
    fileprivate var onOneLine: String { split(separator: "\n").joined(separator: " ") }
}
