// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernLock
import TernTesting
import Testing

@testable import TernEngine

/// What a task says of itself, journey by journey.
@Suite(.timeLimit(.minutes(1))) struct EventTests {
    @Test(arguments: AbilitiesTests.columns)
    func `each journey says this, and nothing else`(column: AbilitiesTests.Column) async throws {
        let observer = try await AbilitiesTests.observe(column, nil)
        #expect(observer.text == Self.expected[column.testDescription], "\(column.testDescription)")
        #expect(observer.faults == [])
    }

    @Test(arguments: AbilitiesTests.Ability.allCases, AbilitiesTests.columns)
    func `with each ability what begins ends, and the metrics are the fold of the events`(
        ability: AbilitiesTests.Ability, column: AbilitiesTests.Column
    ) async throws {
        let observer = try await AbilitiesTests.observe(column, ability)
        #expect(observer.faults == [])
        #expect(observer.completedCount > 0)
    }

    private static let expected: [String: String] = [:]
}
