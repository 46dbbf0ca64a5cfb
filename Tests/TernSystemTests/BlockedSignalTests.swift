// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernSystem

@Suite struct BlockedSignalTests {
    @Test func `what is raised inside is not delivered, and gone afterwards`() async {
        await #expect(processExitsWith: .success) {
            _ = signal(SIGPIPE, SIG_DFL)
            #expect(throws: SystemCallError(.send, code: EPIPE)) {
                try BlockedSignal.pipe.during { () throws(SystemCallError) in
                    pthread_kill(pthread_self(), SIGPIPE)
                    throw SystemCallError(.send, code: EPIPE)
                }
            }
            #expect(!isBlocked(SIGPIPE))
        }
    }

    @Test func `what was blocked before stays blocked`() async throws {
        await #expect(processExitsWith: .success) {
            var set = sigset_t()
            unsafe sigemptyset(&set)
            unsafe sigaddset(&set, SIGPIPE)
            unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
            let inside = try BlockedSignal.pipe.during { () throws(SystemCallError) in isBlocked(SIGPIPE) }
            #expect(inside)
            #expect(isBlocked(SIGPIPE))
        }
    }
}

private func isBlocked(_ number: Int32) -> Bool {
    var set = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, nil, &set)
    return unsafe sigismember(&set, number) == 1
}
