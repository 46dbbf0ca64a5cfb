// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernSystem

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
