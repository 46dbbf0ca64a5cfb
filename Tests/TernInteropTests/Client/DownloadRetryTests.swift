// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import Testing

/// Retries of downloads from a real server.
@Suite(.timeLimit(.minutes(2))) struct DownloadRetryTests {
    @Test func `a file that stalls again and again is fetched part by part`() async throws {
        let content = Data((0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 11) })
        // After these bytes of each response nginx sends next to nothing.
        let server = try await NginxServer(
            files: ["file": content], directives: "location /file { limit_rate_after 300k; limit_rate 1; }")
        let folder = try TemporaryFolder()
        var configuration = SessionConfiguration()
        configuration.retryPolicy = .standard
        configuration.retryPolicy.maximumRetries = 8
        configuration.retryPolicy.backOff = .init(base: .milliseconds(5))
        configuration.timeouts.idle = .milliseconds(300)
        let session = Session(configuration: configuration)
        let target = folder.url.appending(path: "copy")
        let request = try URLRequest(string: server.url("/file"))
        let (_, response) = try await session.download(for: request, to: target)
        #expect(try Data(contentsOf: target) == content)
        #expect(response.statusCode == 200)
        await server.stop()
        let statuses = server.accessLog.lines.compactMap { line in
            line.hasSuffix(" GET /file") ? line.split(separator: " ")[2] : nil
        }
        #expect(statuses.first == "200" && statuses.count > 1 && statuses.dropFirst().allSatisfy { $0 == "206" })
    }
}
