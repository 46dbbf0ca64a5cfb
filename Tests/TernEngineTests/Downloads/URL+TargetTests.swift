// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import TernEngine

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
