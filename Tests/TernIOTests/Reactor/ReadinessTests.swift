// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import Testing

@testable import TernIO

@Suite struct ReadinessTests {
    @Test func `bytes and a half-closed peer are readable, room is writable`() {
        #expect(Readiness(epoll: EPOLLIN.rawValue) == .readable)
        #expect(Readiness(epoll: EPOLLRDHUP.rawValue) == [.readable, .peerClosed])
        #expect(Readiness(epoll: EPOLLIN.rawValue | EPOLLRDHUP.rawValue) == [.readable, .peerClosed])
        #expect(Readiness(epoll: EPOLLOUT.rawValue) == .writable)
        #expect(Readiness(epoll: EPOLLIN.rawValue | EPOLLOUT.rawValue) == [.readable, .writable])
    }

    @Test func `what cannot be masked counts as both directions`() {
        #expect(Readiness(epoll: EPOLLHUP.rawValue) == [.readable, .writable, .peerClosed])
        #expect(Readiness(epoll: EPOLLERR.rawValue) == [.readable, .writable])
    }
}

@Suite struct InterestTests {
    @Test func `reading waits for the peer's end too, writing does not`() {
        #expect(Interest.readable.epollEvents == EPOLLIN.rawValue | EPOLLRDHUP.rawValue)
        #expect(Interest.writable.epollEvents == EPOLLOUT.rawValue)
        #expect(
            Interest([.readable, .writable]).epollEvents == EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLOUT.rawValue)
        #expect(Interest().epollEvents == 0)
    }
}
