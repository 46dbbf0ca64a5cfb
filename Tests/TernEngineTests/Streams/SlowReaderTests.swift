// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernTesting
import Testing

@testable import TernEngine

extension Processes {
    @Suite struct SlowReaderTests {
        @Test(.disabled(if: Sanitizer.isWatching, "the process then keeps freed memory"))
        func `a slow reader costs little memory`() async {
            await #expect(processExitsWith: .success) {
                let origin = try ScriptedOrigin { _, _ in
                    [.send("HTTP/1.1 200 OK\r\n\r\n"), .repeat(Array(repeating: 1, count: 65536), count: 4096), .close]
                }
                let session = Session.limited()
                let (bytes, _) = try await session.bytes(for: URLRequest(origin))
                var (count, peak) = (0, 0)
                var first = 0
                for try await piece in bytes {
                    count += piece.count
                    if first == 0, count > 8 << 20 { first = residentBytes() }
                    peak = max(peak, residentBytes())
                }
                #expect(count == 256 << 20)
                #expect(peak - first < 4 << 20, "\(peak - first) bytes more")
            }
        }
    }
}

/// What this process holds in memory now.
private func residentBytes() -> Int {
    guard let file = unsafe fopen("/proc/self/statm", "r") else { return 0 }
    defer { unsafe fclose(file) }
    var text = [UInt8](repeating: 0, count: 256)
    let length = unsafe fread(&text, 1, text.count, file)
    let pages = String(decoding: text[..<length], as: UTF8.self).split(separator: " ").dropFirst().first
    return (pages.flatMap { Int($0) } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
}
