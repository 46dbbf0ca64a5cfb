// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct ContentDecodingErrorTests {
    @Test(arguments: [
        (ContentDecodingError.malformed("invalid block type"), "Content-Encoding"), (.malformed("x"), ": x"),
        (.truncated, "complete"), (.checksum, "checksum"), (.tooLarge(limit: 12), "12"),
        (.ratioExceeded(limit: 34), "34"), (.tooManyCodings(limit: 56), "56"), (.outOfMemory, "memory"),
    ])
    func `says which rule was broken`(error: ContentDecodingError, word: String) {
        #expect("\(error)".contains(word))
    }
}
