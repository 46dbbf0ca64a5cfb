// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// Readers find a guide by the README's table or by the groups of the front page, so each guide is in both.
@Suite struct GuideTests {
    private static let folder = "Sources/Tern/Tern.docc"

    private static func text(of path: String) throws -> String {
        try String(contentsOf: Page.root.appending(path: path), encoding: .utf8)
    }

    /// The names of all guides. The front page is none.
    private static func guides() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: Page.root.appending(path: folder).path)
            .filter { $0.hasSuffix(".md") && $0 != "Tern.md" }
            .map { String($0.dropLast(3)) }
    }

    @Test func `the README leads to each guide`() throws {
        let readme = try Self.text(of: "README.md")
        for guide in try Self.guides() {
            #expect(readme.contains("](\(Self.folder)/\(guide).md)"), "\(guide)")
        }
    }

    @Test func `each guide is in one group of the front page`() throws {
        let page = try Self.text(of: "\(Self.folder)/Tern.md")
        let topics = try #require(page.components(separatedBy: "\n## Topics\n").dropFirst().first)
        let listed = topics.matches(of: /- \[[^\]]+\]\((\w+)\.md\)/).map { String($0.1) }
        let guides = try Self.guides()
        #expect(listed.sorted() == guides.sorted())
    }
}
