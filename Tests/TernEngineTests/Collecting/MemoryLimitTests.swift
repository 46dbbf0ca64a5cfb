// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernTesting
import Testing

@testable import TernEngine

extension Processes {
    /// What a body comes to when the process may have no more memory.
    @Suite struct MemoryLimitTests {
        @Test(.disabled(if: Sanitizer.isWatching, "a sanitizer needs terabytes of addresses"))
        func `a body without memory for it ends with outOfMemory, and the session continues to work`() async {
            await #expect(processExitsWith: .success) {
                let origin = try ScriptedOrigin { _, request in
                    if request.target == "/small" { return [.ok("small")] }
                    return [
                        .send("HTTP/1.1 200 OK\r\nContent-Length: \(1 << 30)\r\n\r\n"),
                        .repeat(Array(repeating: 1, count: 65536), count: 16384),
                    ]
                }
                var configuration = SessionConfiguration()
                configuration.maximumCollectedBodySize = 2 << 30
                let session = Session(configuration: configuration)
                #expect(try await session.text(URLRequest(origin, "/small")) == "small")
                let pages = Int(try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).prefix { $0 != " " })
                let most = rlim_t((pages ?? 0) * Int(getpagesize()) + 256 << 20)
                var limit = rlimit(rlim_cur: most, rlim_max: most)
                unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
                for _ in 0..<2 {
                    let error = await session.failure(of: try URLRequest(origin))
                    guard case .transfer(.outOfMemory)? = error?.reason else {
                        Issue.record("\(String(describing: error))")
                        return
                    }
                    #expect(error?.phase == .body)
                    #expect(try await session.text(URLRequest(origin, "/small")) == "small")
                }
            }
        }
    }
}
