// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct PartialFilePathsTests {
    @Test func `they stand beside the target`() {
        let names = PartialFilePaths(target: "/a/b.iso")
        #expect(names.file == "/a/.b.iso.tern-part")
        #expect(names.notes == "/a/.b.iso.tern-part.json")
        #expect(PartialFilePaths(target: "b").file == ".b.tern-part")
    }

    @Test func `a resume data file's name gives its target`() {
        #expect(PartialFilePaths.target(ofNotes: PartialFilePaths(target: "b.iso").notes) == "b.iso")
        #expect(
            [".b.tern-part", "b.tern-part.json", ".json"].allSatisfy { PartialFilePaths.target(ofNotes: $0) == nil })
    }

    @Test func `a long name is truncated, and distinguished from others`() {
        let (one, other) = (String(repeating: "\u{e4}", count: 127), String(repeating: "\u{e4}", count: 126) + "a")
        let names = [one, other].map { PartialFilePaths(target: "/a/" + $0) }
        #expect(names.allSatisfy { $0.notes.utf8.count - 3 <= 255 && PartialFilePaths.areThoseOf($0.file) })
        #expect(names[0].file != names[1].file)
        #expect(names[0].file == PartialFilePaths(target: "/a/" + one).file)
        let name = PartialFilePaths(target: one).notes
        #expect(PartialFilePaths.target(ofNotes: name) == nil)
        let uncut = String(repeating: "n", count: 230) + "~b"
        #expect(PartialFilePaths.target(ofNotes: PartialFilePaths(target: uncut).notes) == uncut)
    }

    @Test(arguments: [
        "", "/", "/etc/passwd", "a/.b.tern-part", "/a/../.b.tern-part", "/a//.b.tern-part", "/./.b.tern-part",
        "/a/.tern-part",
        "/a/b.tern-part", "/a/.b.tern-part/c", "/a/.b\n.tern-part", "/a\u{0}/.b.tern-part", "/a/tern-download-1",
        "/a/x.tmp",
    ])
    func `no other path is theirs`(path: String) {
        #expect(!PartialFilePaths.areThoseOf(path))
    }

    @Test func `those are`() {
        #expect(PartialFilePaths.areThoseOf("/a/.b.tern-part"))
        #expect(PartialFilePaths.areThoseOf(PartialFilePaths.temporary(in: "/tmp")))
        #expect(PartialFilePaths.areThoseOf(PartialFilePaths.temporary(in: "/tmp/")))
    }
}
