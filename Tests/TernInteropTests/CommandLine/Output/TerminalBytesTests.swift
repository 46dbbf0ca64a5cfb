// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernCLI

@Suite struct TerminalBytesTests {
    @Test(
        "text passes, in whatever language and however it is cut",
        arguments: [
            "", "plain\ttext\r\n", "gr\u{fc}n, \u{1F469}\u{200D}\u{1F4BB}, \u{5b57}\u{a0}\u{2028}",
            "\u{7fa}\u{9b}".prefix(1) + "x",
        ])
    func text(text: String) {
        for split in 0...text.utf8.count {
            var bytes = TerminalBytes()
            #expect(bytes.firstControl(in: Array(text.utf8.prefix(split))) == nil)
            #expect(bytes.firstControl(in: Array(text.utf8.dropFirst(split))) == nil)
        }
    }

    @Test(
        "what a terminal obeys is found, with its place",
        arguments: [
            ([0x61, 0x1B, 0x5B], 1), ([0x00], 0), ([0x07], 0), ([0x61, 0x62, 0x7F], 2), ([0x9B, 0x41], 0),
            ([0xC2, 0x9B], 1), ([0xC0, 0x9B], 1), ([0xE0, 0x82, 0x9B], 1), ([0xF0, 0x80, 0x82, 0x9B], 1),
            ([0xC3, 0x1B], 1), ([0x08], 0), ([0x0C], 0), ([0xE2, 0x82, 0xAC, 0x85], 3),
        ] as [([UInt8], Int)])
    func controls(bytes: [UInt8], place: Int) {
        var whole = TerminalBytes()
        #expect(whole.firstControl(in: bytes) == place)
        var single = TerminalBytes()
        #expect(bytes.firstIndex { single.firstControl(in: [$0]) != nil } == place)
    }
}
