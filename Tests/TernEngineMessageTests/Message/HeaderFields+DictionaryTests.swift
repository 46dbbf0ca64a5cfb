// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import Testing

@testable import TernEngine

@Suite struct HeaderFieldsDictionaryTests {
    @Test func `repeats are joined under the first spelling of their name`() {
        let fields: HeaderFields = ["X-b": "1", "Accept": "a", "x-B": "2", "X-B": ""]
        #expect(fields.dictionary == ["X-b": "1, 2, ", "Accept": "a"])
        #expect(HeaderFields().dictionary.isEmpty)
    }
}
