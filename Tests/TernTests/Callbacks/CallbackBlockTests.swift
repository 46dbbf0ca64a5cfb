// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Tern

@Suite struct CallbackBlockTests {
    @Test func `a block runs once`() {
        let journal = Journal()
        let block = CallbackBlock { journal.note("ran") }
        block.performCallbacks()
        block.performCallbacks()
        #expect(journal.entries == ["ran"])
    }
}
