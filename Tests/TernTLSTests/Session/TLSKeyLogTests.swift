// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import TernLock
import TernTesting
import Testing

@testable import TernTLS

@Suite(.timeLimit(.minutes(1))) struct TLSKeyLogTests {
    private let root: CertificateAuthority

    init() throws { root = try CertificateAuthority() }

    @Test(arguments: [
        (TLSProtocolVersion.v1_2, ["CLIENT_RANDOM"]),
        (.v1_3, ["CLIENT_HANDSHAKE_TRAFFIC_SECRET", "CLIENT_TRAFFIC_SECRET_0"]),
    ])
    func `a log gets a line for each secret`(version: TLSProtocolVersion, labels: [String]) async throws {
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        let dialogue = try Dialogue(root: root) {
            $0.minimumVersion = version
            $0.maximumVersion = version
            $0.keyLog = TLSKeyLog { line.yield($0) }
        }
        _ = try dialogue.handshake()
        var missing = Set(labels)
        for await line in lines {
            #expect(!line.contains("\n") && line.split(separator: " ").count == 3)
            missing.remove(String(line.prefix { $0 != " " }))
            if missing.isEmpty { break }
        }
    }

    @Test func `a log that is a file that cannot be written does not hurt`() throws {
        let dialogue = try Dialogue(root: root) { $0.keyLog = TLSKeyLog(path: "/nonexistent/keys") }
        _ = try dialogue.handshake()
        #expect(dialogue.trust?.isAccepted == true)
    }

    @Test func `a pipe without a reader does not block, and one that is read gets whole lines in order`() async throws {
        let path: String = "/tmp/tern-key-log-\(UInt64.random(in: 0 ... .max))"
        #expect(unsafe mkfifo(path, 0o600) == 0)
        defer { unsafe unlink(path) }
        let log = TLSKeyLog(path: path)
        // Used to wait in open(2) for good.
        log.record("lost")
        await log.written()
        let reader = unsafe open(path, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        for number in 0..<100 { log.record("line \(number)") }
        await log.written()
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = unsafe read(reader, &bytes, bytes.count)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        #expect(text == (0..<100).map { "line \($0)\n" }.joined())
        for number in 0..<TLSKeyLog.maximumWaiting { log.record("\(number) " + String(repeating: "x", count: 100)) }
        await log.written()
        #expect(unsafe read(reader, &bytes, bytes.count) > 0)
    }

    @Test func `a process that ends writes the lines that wait`() async {
        let path: String = "/tmp/tern-key-log-\(UInt64.random(in: 0 ... .max))"
        await #expect(processExitsWith: .success) { [path = path as String] in
            let log = TLSKeyLog(path: path)
            for number in 0..<TLSKeyLog.maximumWaiting { log.record("line \(number)") }
            exit(0)
        }
        defer { unsafe unlink(path) }
        var bytes = [UInt8](repeating: 0, count: 1 << 17)
        let descriptor = unsafe open(path, O_RDONLY)
        defer { close(descriptor) }
        let count = unsafe read(descriptor, &bytes, bytes.count)
        #expect(bytes.prefix(max(0, count)).count { $0 == UInt8(ascii: "\n") } == TLSKeyLog.maximumWaiting)
    }

    @Test func `a folder is no log, and does not hurt`() async {
        let log = TLSKeyLog(path: "/tmp")
        log.record("lost")
        await log.written()
    }

    @Test func `a log that is slower than its connections loses lines, and not its patience`() async {
        let (open, gate) = AsyncStream.makeStream(of: Void.self)
        let lines = Lock(0)
        let semaphore = DispatchSemaphore(value: 0)
        let log = TLSKeyLog { _ in
            gate.yield()
            semaphore.wait()
            semaphore.signal()
            lines.withLock { $0 += 1 }
        }
        log.record("first")
        for await _ in open { break }
        for _ in 0..<(TLSKeyLog.maximumWaiting + 100) { log.record("more") }
        semaphore.signal()
        await log.written()
        #expect(lines.withLock { $0 } == TLSKeyLog.maximumWaiting)
    }

    @Test func `a log is part of the configuration's identity`() {
        var (one, two) = (TLSSettings(), TLSSettings())
        #expect(one == two)
        one.keyLog = TLSKeyLog { _ in }
        two.keyLog = TLSKeyLog { _ in }
        #expect(one != two)
        two.keyLog = one.keyLog
        #expect(one == two)
    }
}
