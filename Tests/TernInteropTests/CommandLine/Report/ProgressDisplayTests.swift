// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernCLI

@Suite struct ProgressLineTests {
    @Test func `a known length is shown as a bar`() {
        #expect(
            ProgressLine.text(received: 1_572_864, length: 3_145_728, seconds: 3)
                == "[###############---------------] 50 %  1.5 MB of 3.0 MB  512.0 KB/s  3 s left")
        #expect(
            ProgressLine.plain(received: 1_048_576, length: 3_145_728, seconds: 3723)
                == "33 %  1.0 MB of 3.0 MB  281 B/s  2 h 4 min left")
        #expect(ProgressLine.plain(received: 10, length: 10, seconds: 1) == "100 %  10 B of 10 B  10 B/s")
    }

    @Test func `without one, and when nothing or too much has come, it makes sense still`() {
        #expect(ProgressLine.text(received: 100, length: nil, seconds: 0) == "100 B  ")
        #expect(ProgressLine.text(received: 0, length: 0, seconds: 1) == "0 B  0 B/s")
        #expect(ProgressLine.text(received: 20, length: 10, seconds: 1).contains("100 %"))
    }
}
