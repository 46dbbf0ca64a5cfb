// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import TernEngine

@Suite struct DownloadDestinationTests {
    private func url(_ path: String) -> URL { URL(filePath: path, directoryHint: .notDirectory) }

    @Test func `a temporary file has no settings, any status, and is kept where it fails`() {
        let destination = DownloadDestination(temporaryIn: url("/tmp"))
        #expect(!destination.isTarget)
        #expect(!destination.wantsFileOnly)
        #expect(destination.keepsPartialFile)
        #expect(destination.settings == nil)
    }

    @Test func `a target has the rules of its settings`() {
        var settings = DownloadSettings()
        #expect(DownloadDestination(url("/tmp/x"), settings).wantsFileOnly)
        #expect(DownloadDestination(url("/tmp/x"), settings).isTarget)
        settings.acceptsAnyStatus = true
        settings.isResumable = false
        #expect(!DownloadDestination(url("/tmp/x"), settings).wantsFileOnly)
        #expect(!DownloadDestination(url("/tmp/x"), settings).keepsPartialFile)
    }

    @Test func `a file that is chosen is known once there is a response, and its folder then resolved`() throws {
        let chosen = DownloadDestination.chosen({ _ in URL(filePath: "/usr/../tmp/x") }, DownloadSettings())
        guard case .chosen = chosen.straightened else {
            Issue.record("chosen too early")
            return
        }
        let known = chosen.known(by: try HTTPURLResponse(url: nil, statusCode: 200))
        guard case .target("/tmp/x", _) = known.straightened else {
            Issue.record("\(known.straightened)")
            return
        }
    }
}

@Suite struct URLTargetTests {
    @Test(arguments: [("/a/b", "/a/b"), ("/a/../b", "/a/../b"), ("a", "a"), ("~/a", "./~/a"), ("~", "./~")])
    func `a path stays as it is, and a tilde is a character`(path: String, target: String) {
        #expect(URL(target: path).relativePath == target)
    }

    @Test func `a path with a parent begins at the current folder`() {
        let target = URL(target: "x/../y").path(percentEncoded: false)
        #expect(target == FileManager.default.currentDirectoryPath + "/x/../y")
    }

    @Test func `a path is a file, and no URL`() {
        #expect(URL(target: "/a/http://b").isFileURL)
        #expect(!URL(target: "/tmp").hasDirectoryPath)
    }
}
