// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernSystem

@Suite struct SystemCallTests {
    @Test func `an interrupted call is repeated`() throws {
        var calls = 0
        let result = try SystemCall.run(.connect) {
            calls += 1
            errno = EINTR
            return calls < 3 ? -1 : 42
        }
        #expect(result == 42)
        #expect(calls == 3)
        calls = 0
        let transfer = try SystemCall.transfer(.recv) {
            calls += 1
            errno = EINTR
            return calls < 3 ? -1 : 42
        }
        #expect(transfer == .bytes(42))
        #expect(calls == 3)
    }

    @Test func `a failure carries the call and errno`() {
        #expect(throws: SystemCallError(.connect, code: ECONNREFUSED)) {
            _ = try SystemCall.run(.connect) {
                errno = ECONNREFUSED
                return -1
            }
        }
        #expect(throws: SystemCallError(.send, code: EPIPE)) {
            _ = try SystemCall.transfer(.send) {
                errno = EPIPE
                return -1
            }
        }
    }

    @Test func `would-block and the end of the stream are results`() throws {
        let blocked = try SystemCall.transfer(.recv) {
            errno = EAGAIN
            return -1
        }
        #expect(blocked == .wouldBlock)
        #expect(try SystemCall.transfer(.recv) { 0 } == .endOfStream)
    }
}

@Suite struct SystemErrorTests {
    @Test func `an error says which call failed, in the kernel's words`() {
        let error = SystemCallError(.epollCtl, code: EPERM)
        #expect(error.description == "epoll_ctl: Operation not permitted (errno 1)")
        #expect(SystemCallError(.connect, code: ECONNREFUSED).message == "Connection refused")
        #expect(SystemCallError.Call.recv.description == "recv")
    }

    @Test func `an unknown code does no harm`() {
        #expect(SystemCallError(.recv, code: 99_999).description.contains("99999"))
        #expect(SystemCallError(.recv, code: -1).description.contains("-1"))
    }
}
