// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import Testing

@testable import TernIO

@Suite struct InterestTests {
    @Test func `reading waits for the peer's end too, writing does not`() {
        #expect(Interest.readable.epollEvents == EPOLLIN.rawValue | EPOLLRDHUP.rawValue)
        #expect(Interest.writable.epollEvents == EPOLLOUT.rawValue)
        #expect(
            Interest([.readable, .writable]).epollEvents == EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLOUT.rawValue)
        #expect(Interest().epollEvents == 0)
    }
}
