// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernIO

@Suite(.timeLimit(.minutes(1))) struct ThreadTests {
    @Test func `a thread takes no signal of the process, but those it raises itself`() async throws {
        let blocked = try #require(await onThread { Census.blockedSignals() })
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGALRM, SIGUSR1, SIGPIPE, SIGPROF] {
            #expect(blocked & 1 << UInt64(signal - 1) != 0, "signal \(signal)")
        }
        for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] {
            #expect(blocked & 1 << UInt64(signal - 1) == 0, "signal \(signal)")
        }
    }

    @Test func `starting a thread leaves the starter's signals as they were`() throws {
        let before = Census.blockedSignals()
        try Thread.start(name: "tern-test") {}
        #expect(Census.blockedSignals() == before)
        #expect(before != nil)
    }

    @Test func `a name is cut to fifteen bytes, and the thread ends with its body`() async throws {
        let running = await onThread(named: "io-a-name-that-is-too-long") {
            Census.threads(named: "io-a-name-that-")
        }
        #expect(running == 1)
        #expect(await eventually { Census.threads(named: "io-a-name-that-") == 0 })
    }

    @Test func `a name beyond ASCII does no harm`() async throws {
        let ran = await onThread(named: "🐦🐦🐦🐦🐦🐦🐦🐦") { true }
        #expect(ran)
    }
}

private func onThread<T: Sendable>(
    named name: String = "tern-test", _ body: @escaping @Sendable () -> T
) async -> T {
    await withCheckedContinuation { end in
        #expect(throws: Never.self) { try Thread.start(name: name) { end.resume(returning: body()) } }
    }
}
