// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite struct FieldBlockTests {
    @Test func `an empty block has no fields`() {
        #expect(FieldBlock.empty.count == 0)
        #expect(FieldBlock.empty.position(at: 0) == nil)
        #expect(FieldBlock.empty.firstIndex(of: "A") == nil)
        #expect(FieldBlock.empty.valueRanges(for: "A").isEmpty)
    }
}
