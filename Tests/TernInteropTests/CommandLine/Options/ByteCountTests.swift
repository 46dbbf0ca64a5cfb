// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernCLI

@Suite struct ByteCountTests {
    @Test(
        "a number of bytes may have a unit",
        arguments: [("0", 0), ("4096", 4096), ("2k", 2048), ("3M", 3_145_728), ("1G", 1_073_741_824)])
    func read(argument: String, bytes: Int) { #expect(ByteCount(argument: argument)?.bytes == bytes) }

    @Test(
        "what is none is none", arguments: ["", "k", "-1", "1.5M", "1KB", "99999999999999999999", "9999999999999999G"])
    func refused(argument: String) { #expect(ByteCount(argument: argument) == nil) }
}
