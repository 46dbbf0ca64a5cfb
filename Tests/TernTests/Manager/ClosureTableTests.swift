// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Tern

@Suite struct ClosureTableTests {
    private let table = ClosureTable()

    @Test func `a table is empty until a closure is set, and after the last one is removed`() {
        #expect(table.isEmpty)
        #expect(table.set(\.completion) { _, _, _ in }?.isNew == true)
        #expect(table.set(\.completion) { _, _, _ in }?.isNew == false)
        #expect(!table.isEmpty && table[\.completion] != nil)
        #expect(table.set(\.completion, nil)?.isNew == false)
        #expect(table.isEmpty && table[\.completion] == nil)
        #expect(table.set(\.completion, nil) == nil)
    }

    @Test func `closures for challenges answer about server trust`() {
        #expect(!table.answersServerTrustChallenges)
        #expect(table.set(\.challenge) { _, _, _ in (.performDefaultHandling, nil) }?.changesTrust == true)
        #expect(table.answersServerTrustChallenges && !table.answersForSession)
        #expect(table.set(\.sessionChallenge) { _, _ in (.performDefaultHandling, nil) }?.changesTrust == true)
        #expect(table.answersForSession)
        #expect(table.set(\.completion) { _, _, _ in }?.changesTrust == false)
    }
}
