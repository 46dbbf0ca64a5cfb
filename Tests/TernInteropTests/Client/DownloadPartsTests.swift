// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import Testing

/// Downloads in parts from a real server.
@Suite(.timeLimit(.minutes(2))) struct DownloadPartsTests {
    @Test func `a file arrives over several connections at once`() async throws {
        let content = Data((0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 11) })
        // The rate of each response.
        let server = try await NginxServer(
            files: ["file": content], directives: "location /file { limit_rate 500k; }")
        let folder = try TemporaryFolder()
        let target = folder.url.appending(path: "copy")
        var settings = DownloadSettings()
        settings.parts = DownloadParts(maximum: 4, minimumSize: 300_000)
        let request = try URLRequest(string: server.url("/file"))
        let (_, response) = try await Session().download(for: request, to: target, settings: settings)
        #expect(try Data(contentsOf: target) == content)
        #expect(response.statusCode == 200)
        await server.stop()
        let statuses = server.accessLog.lines.compactMap { line in
            line.hasSuffix(" GET /file") ? line.split(separator: " ")[2] : nil
        }
        #expect(statuses.sorted() == ["200", "206", "206", "206"])
    }
}
