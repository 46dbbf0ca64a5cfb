// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernTLS
import TernTesting
import Testing

@testable import TernEngine

@Suite(.timeLimit(.minutes(5))) struct DownloadDriverEndingTests {
    private let session = Session.limited(to: 4)
    private let content = Pattern.bytes

    @Test func `no error becomes a target, unless it is asked for`() async throws {
        let folder = try TestFolder()
        try folder.write("old", to: "file")
        let origin = try FileOrigin([]) { $0.instead = { _ in [.respond(status: 404, reason: "No", body: "gone")] } }
        let error = try await session.failure(origin, to: folder.url("file"))
        guard case .download(.unsuccessful(let response)) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(response.statusCode == 404)
        #expect(folder.content("file") == Array("old".utf8))
        #expect(folder.names == ["file"])
        var settings = DownloadSettings()
        settings.acceptsAnyStatus = true
        #expect(try await session.failure(origin, to: folder.url("file"), settings) == nil)
        #expect(folder.content("file") == Array("gone".utf8))
    }

    @Test func `a broken body leaves nothing behind`() async throws {
        let folder = try TestFolder()
        try folder.write("old", to: "file")
        let origin = try FileOrigin(content) { $0.breaksOffAfter = 1_000_000 }
        let error = try await session.failure(origin, to: folder.url("file"))
        #expect(error?.reason.isConnectionLoss == true)
        #expect(error?.resumeData == nil)
        #expect(folder.content("file") == Array("old".utf8))
        #expect(folder.names == ["file"])
    }
}
