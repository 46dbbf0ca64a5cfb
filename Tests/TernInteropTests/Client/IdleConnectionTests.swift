// SPDX-License-Identifier: Apache-2.0
import CTestPrograms
import Foundation
import Tern
import TernTesting
import Testing

/// What connections hold while nothing is asked of them. In a process of its own, whose heap is otherwise at rest.
@Suite(.serialized, .timeLimit(.minutes(5))) struct IdleConnectionTests {
    /// The record buffers that OpenSSL would keep are another 17 KB each.
    @Test(arguments: ["TLSv1.2", "TLSv1.3"]) func `an idle TLS connection holds at most 32 KB of the heap`(
        version: String
    ) async {
        await #expect(processExitsWith: .success) { [version] in
            let server = try await NginxServer(directives: "ssl_protocols \(version);")
            var configuration = try SessionTests.configuration(trusting: server.authority)
            configuration.httpMaximumConnectionsPerHost = 200
            let session = Session(configuration: configuration)
            let url = try #require(URL(string: server.secureURL()))
            _ = try await session.data(from: url)
            let before = (heap: allocatedBytes(), sockets: socketCount())
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for _ in 0..<200 { tasks.addTask { _ = try await session.data(from: url) } }
                try await tasks.waitForAll()
            }
            var (count, each) = (0, Int.max)
            // Connections that were not needed in the end may still shake hands.
            for _ in 0..<3000 where each > 32 << 10 {
                try await Task.sleep(for: .milliseconds(10))
                count = socketCount() - before.sockets
                each = (allocatedBytes() - before.heap) / max(1, count)
            }
            #expect(count > 50)
            #expect(each <= 32 << 10, "\(each) bytes each of \(count)")
            withExtendedLifetime(session) {}
            await server.stop()
        }
    }
}

private func allocatedBytes() -> Int { Int(tern_allocated_bytes()) }

private func socketCount() -> Int {
    let folder = "/proc/self/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.count { name in
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
        return target?.hasPrefix("socket:") == true
    }
}
