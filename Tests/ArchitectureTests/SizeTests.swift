// SPDX-License-Identifier: Apache-2.0
import Testing

/// A circle of more files than this holds two ideas.
@Suite struct SizeTests {
    /// All of the scripted origin's types are members of one, so they name one another.
    private static let exempt: Set = ["TernTesting"]

    @Test func `at most three files know one another in a circle`() {
        let tree = SourceTree.project
        for module in Set(tree.files.map(\.module)).subtracting(Self.exempt) {
            for knot in tree.knots(in: module) { #expect(knot.count <= 3, "\(knot)") }
        }
    }

    @Test func `a circle is found, and who only leads to it is no part of it`() {
        let tree = SourceTree(files: [
            SourceFile(path: "M/One.swift", text: "struct One { let next: Two }\n"),
            SourceFile(path: "M/Two.swift", text: "struct Two { let next: Three }\n"),
            SourceFile(path: "M/Three.swift", text: "struct Three { let next: [Two], last: Four }\n"),
            SourceFile(path: "M/Four.swift", text: "struct Four {}\n"),
        ])
        #expect(tree.knots(in: "M").map { $0.sorted() } == [["M/Three.swift", "M/Two.swift"]])
    }
}
