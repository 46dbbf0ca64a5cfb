// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite struct KeepAliveTests {
    private func read(_ text: String) -> KeepAlive {
        var keepAlive = KeepAlive()
        keepAlive.read(text.utf8.span, 0..<text.utf8.count)
        return keepAlive
    }

    @Test func `both parameters are read, in any order and case`() {
        #expect(read("timeout=5, max=100") == KeepAlive(timeout: 5, max: 100))
        #expect(read("MAX=1,Timeout=0") == KeepAlive(timeout: 0, max: 1))
    }

    @Test(arguments: ["", "timeout", "timeout=", "timeout=-1", "timeout=5s", "timeout=99999999999999999999", "other=5"])
    func `what is malformed or unknown promises nothing`(text: String) { #expect(read(text) == KeepAlive()) }
}
