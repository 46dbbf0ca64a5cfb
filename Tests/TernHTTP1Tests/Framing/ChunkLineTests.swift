// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite struct ChunkLineTests {
    private func read(_ text: String) -> String {
        switch ChunkLine.read(text.utf8.span, at: 0) {
        case .size(let size, let next): "\(size) then \(next)"
        case .incomplete: "incomplete"
        case .malformed(let reason, let position): "\(reason) at \(position)"
        }
    }

    @Test func `a size is hexadecimal, and the line ends with CRLF`() {
        #expect(read("1aF\r\n") == "431 then 5")
        #expect(read("0\r\n") == "0 then 3")
    }

    @Test(arguments: ["", "1", "1\r", "10", "1;a=b"])
    func `a line without its end is incomplete`(text: String) { #expect(read(text) == "incomplete") }

    @Test func `an extension is passed over`() { #expect(read("5;a=b\r\n") == "5 then 7") }

    @Test func `a size that is missing, too large or ended by LF alone is refused`() {
        #expect(read("\r\n") == "size at 0")
        #expect(read("g\r\n") == "size at 0")
        #expect(read("10000000000000000\r\n") == "sizeOverflow at 16")
        #expect(read("1\n") == "bareLineFeed at 1")
    }
}
