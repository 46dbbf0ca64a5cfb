// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Tern

@Suite struct ChallengeScannerTests {
    private func scanner(_ text: String) -> ChallengeScanner { ChallengeScanner([UInt8](text.utf8)) }

    @Test func `the scheme is the first word, in lowercase`() {
        var scanner = scanner("BASIC realm=a")
        #expect(scanner.scheme() == "basic")
        var empty = self.scanner("")
        #expect(empty.scheme() == nil)
    }

    @Test func `a quoted value has its escapes resolved`() {
        var scanner = scanner(#"realm="a \"b\" c""#)
        #expect(scanner.quotedValue(of: "realm") == #"a "b" c"#)
    }

    @Test func `a name in another parameter's quotes is not found`() {
        var scanner = scanner(#"charset="realm=x", realm="y""#)
        #expect(scanner.quotedValue(of: "realm") == "y")
        var unfinished = self.scanner(#"charset="realm"#)
        #expect(unfinished.quotedValue(of: "realm") == nil)
    }
}
