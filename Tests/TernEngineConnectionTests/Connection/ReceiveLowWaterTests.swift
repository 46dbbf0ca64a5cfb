// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernIO
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct ReceiveLowWaterTests {
    private static let portion = UInt64(TickAllowance.maximum / 4)

    /// One that has seen `count` bytes in each of so many ticks, one each millisecond.
    private static func after(
        _ ticks: Int, of count: UInt64, from start: Int64 = 0, _ mark: ReceiveLowWater = ReceiveLowWater(),
        isLarge: Bool = true
    ) -> ReceiveLowWater {
        var (mark, total) = (mark, UInt64(start) &* count)
        for tick in 0..<ticks {
            total += count
            let time = MonotonicInstant(nanoseconds: (start + Int64(tick)) * 1_000_000)
            _ = mark.received(count, total: total, isLarge: isLarge, at: time)
        }
        return mark
    }

    @Test(arguments: [(UInt64(1), false), (7, false), (8, true), (100, true)])
    func `the mark is raised when half a megabyte arrives in a millisecond`(_ portions: UInt64, _ isRaised: Bool) {
        #expect(!Self.after(1, of: portions * Self.portion).isRaised)
        #expect(Self.after(2, of: portions * Self.portion).isRaised == isRaised)
        #expect(Self.after(50, of: portions * Self.portion).isRaised == isRaised)
    }

    @Test func `content that is not large never raises the mark`() {
        #expect(!Self.after(50, of: 100 * Self.portion, isLarge: false).isRaised)
    }

    @Test func `ticks within a millisecond count together, and a long wait counts as slow`() {
        var mark = ReceiveLowWater()
        var total: UInt64 = 0
        for step in 0...8 {
            let time = MonotonicInstant(nanoseconds: Int64(step) * 125_000)
            total += Self.portion
            let changes = mark.received(Self.portion, total: total, isLarge: true, at: time)
            #expect(changes == (step == 8))
        }
        var late = ReceiveLowWater()
        _ = late.received(1, total: 1, isLarge: true, at: MonotonicInstant(nanoseconds: 0))
        let time = MonotonicInstant(nanoseconds: 1_000_000_000)
        let changes = late.received(8 * Self.portion, total: 8 * Self.portion, isLarge: true, at: time)
        #expect(!changes)
    }

    @Test func `a visit that finds little lowers the mark, and one that finds much does not`() {
        let raised = Self.after(2, of: 8 * Self.portion)
        for (count, isRaised) in [(0, false), (Self.portion - 1, false), (Self.portion, true)] as [(UInt64, Bool)] {
            var mark = raised
            let changes = mark.received(
                count, total: 100 * Self.portion, isLarge: true, at: MonotonicInstant(nanoseconds: 0))
            #expect(changes == !isRaised)
            #expect(mark.isRaised == isRaised)
        }
    }

    @Test func `a tick receives more while the mark is raised, but not over TLS`() {
        #expect(ReceiveLowWater().receivedAtOnce(isSecure: false) == TickAllowance.maximum)
        let raised = Self.after(2, of: 8 * Self.portion)
        #expect(raised.receivedAtOnce(isSecure: false) == TickAllowance.bulk)
        #expect(raised.receivedAtOnce(isSecure: true) == TickAllowance.maximum)
    }

    @Test func `the end of a body lowers the mark, and the next large body raises it at once if this one was fast`() {
        var mark = Self.after(2, of: 8 * Self.portion)
        let time = MonotonicInstant(nanoseconds: 2_000_000)
        let ends = mark.received(8 * Self.portion, total: 0, isLarge: false, at: time)
        #expect(ends)
        #expect(!mark.isRaised)
        let small = mark.received(1, total: 0, isLarge: false, at: time)
        #expect(!small)
        let large = mark.received(1, total: 0, isLarge: true, at: time)
        #expect(large)
        var slow = Self.after(2, of: Self.portion)
        _ = slow.received(1, total: 0, isLarge: false, at: time)
        let slowly = slow.received(1, total: 0, isLarge: true, at: time)
        #expect(!slowly)
    }

    /// The marks of this process's sockets that are connected to `port`.
    private func marks(port: UInt16) -> [Int32] {
        (Int32(3)..<1024).compactMap { descriptor in
            var (address, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
            let result = unsafe withUnsafeMutableBytes(of: &address) { bytes in
                unsafe getpeername(descriptor, bytes.bindMemory(to: sockaddr.self).baseAddress!, &length)
            }
            guard result == 0, address.sin_family == AF_INET, address.sin_port == port.bigEndian else { return nil }
            var (mark, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
            guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_RCVLOWAT, &mark, &size) == 0 else { return nil }
            return mark
        }
    }

    /// 32 MB as fast as they can come and one byte more, and each of some more bytes once the origin is released.
    private func origin(_ authority: CertificateAuthority?) throws -> ScriptedOrigin {
        try ScriptedOrigin(tls: authority?.issue()) { _, _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: \(64 << 20)\r\n\r\n"),
                .repeat(Array(repeating: 1, count: 65536), count: 512), .send([2]), .hold, .send([3]), .hold,
                .send([4]), .close,
            ]
        }
    }

    @Test(arguments: [false, true])
    func `what comes fast and stops is delivered to its last byte, and so is what is slow`(
        isSecure: Bool
    ) async throws {
        let authority = try CertificateAuthority()
        var isRaised = false
        // The mark of one body may stay low, because the origin may be kept from its processor.
        for _ in 0..<20 where !isRaised {
            let origin = try origin(isSecure ? authority : nil)
            let (bytes, _) = try await Session.trusting(authority).bytes(for: URLRequest(origin))
            var (iterator, count) = (bytes.makeAsyncIterator(), 0)
            while count <= 32 << 20, let piece = try await iterator.next() {
                count += piece.count
                let raised = Int32(ReceiveLowWater.raised(isSecure: isSecure))
                isRaised = isRaised || marks(port: UInt16(origin.port)).contains(raised)
            }
            #expect(count == 32 << 20 + 1)
            try origin.release()
            #expect(try await iterator.next() == Data([3]))
            #expect(marks(port: UInt16(origin.port)) == [1])
            try origin.release()
            #expect(try await iterator.next() == Data([4]))
            await #expect(throws: SessionError.self) { try await iterator.next() }
        }
        #expect(isRaised)
    }

    @Test func `an idle connection has the usual mark, however large its last body was`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: \(32 << 20)\r\n\r\n"),
                .repeat(Array(repeating: 1, count: 65536), count: 512),
            ]
        }
        let session = Session.limited()
        for _ in 0..<3 {
            let (bytes, _) = try await session.bytes(for: URLRequest(origin))
            var count = 0
            for try await piece in bytes { count += piece.count }
            #expect(count == 32 << 20)
            #expect(marks(port: UInt16(origin.port)) == [1])
        }
        #expect(origin.observations.connectionCount == 1)
    }
}
