// SPDX-License-Identifier: Apache-2.0
import Glibc
import TernHTTP1
import TernIO
import TernLock
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
@testable import TernIO

@Suite(.timeLimit(.minutes(1))) struct TunnelOpenerTests {
    /// Opens after a number of bytes, and counts those of each tick.
    private final class Counting: TunnelHandshake, @unchecked Sendable {
        private let loop: ReactorLoop
        private var left: Int
        private let taken = Lock<[UInt64: Int]>([:])

        /// The numbers of bytes by tick.
        var counts: [UInt64: Int] { taken.withLock { $0 } }

        init(_ loop: ReactorLoop, _ count: Int) { (self.loop, left) = (loop, count) }

        func begin() throws(ProxyError) -> [UInt8] { [] }

        func receive(_ bytes: [UInt8], from offset: inout Int) throws(ProxyError) -> TunnelStep {
            let count = min(left, bytes.count - offset)
            (offset, left) = (offset + count, left - count)
            taken.withLock { $0[loop.tick, default: 0] += count }
            return left == 0 ? .open : .wait
        }

        func brokenOff() -> ProxyError? { nil }
        var answer: ResponseHead? { nil }
    }

    private enum Answer: String, CaseIterable, Sendable { case plain, singleRecords }

    /// A dialogue of a hundred bytes takes no second tick; of 40,000, or of 2,000 records, none takes more than its share.
    @Test(arguments: Answer.allCases) private func `a tick reads a part of a long answer, and the next one reads on`(
        answer: Answer
    ) async throws {
        let session = Session.limited(to: 1)
        let loop = try #require(session.firstLoop)
        for isLong in [false, true] {
            let ends = try SecuredEnds()
            let pair = try SecuredEnds.connected(SOCK_STREAM)
            let count = isLong ? (answer == .plain ? 40_000 : 2000) : 100
            let (transport, descriptor): (Transport, Int32)
            switch answer {
            case .singleRecords:
                (transport, descriptor) = (ends.transport, ends.descriptor.rawValue)
                try ends.sendSingly([UInt8](repeating: 1, count: count))
            case .plain:
                transport = Transport(socket: Socket(descriptor: Descriptor(owning: pair[0])))
                descriptor = pair[0]
                let bytes = [UInt8](repeating: 1, count: count)
                #expect(unsafe write(pair[1], bytes, count) == count)
            }
            let dialogue = TunnelDialogue(transport, Descriptor(owning: dup(descriptor)))
            let handshake = Counting(loop, count)
            let isOpen = await dialogue.run(handshake, on: loop)
            let most = handshake.counts.values.max() ?? 0
            #expect(isOpen && handshake.counts.values.reduce(0, +) == count)
            #expect(isLong ? most < count / 4 : most == count, "\(handshake.counts)")
            #expect(most <= (answer == .plain ? 9 * 1024 : 256))
            close(pair[1])
            if answer == .singleRecords { close(pair[0]) }
        }
    }
}

/// Owned by the loop's thread while it runs.
private final class TunnelDialogue: @unchecked Sendable {
    private final class Idle: ReadinessHandler { func ready(_ readiness: Readiness) {} }

    private let transport: Transport
    private let descriptor: Descriptor
    private var opener: TunnelOpener?

    init(_ transport: Transport, _ descriptor: consuming Descriptor) {
        self.transport = transport
        self.descriptor = descriptor
    }

    /// Whether the tunnel has opened.
    func run(_ handshake: any TunnelHandshake & Sendable, on loop: ReactorLoop) async -> Bool {
        await withCheckedContinuation { continuation in
            loop.execute {
                guard let token = try? loop.register(self.descriptor, interest: [], handler: Idle()) else {
                    return continuation.resume(returning: false)
                }
                let opener = TunnelOpener(
                    handshake, transport: self.transport, token: token, loop: loop, letsServerBegin: false
                ) { outcome in
                    let isOpen = if case .open = outcome { true } else { false }
                    if isOpen { loop.deregister(token) }
                    self.opener = nil
                    continuation.resume(returning: isOpen)
                }
                self.opener = opener
                opener.start()
            }
        }
    }
}
