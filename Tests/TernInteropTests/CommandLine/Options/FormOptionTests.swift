// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import TernCLI

@Suite struct FormOptionTests {
    @Test func `a string stands as it is`() throws {
        #expect(try FormOption.string("a=@b;c").content == .text("@b;c"))
        #expect(throws: (any Error).self) { try FormOption.string("a") }
    }
}
