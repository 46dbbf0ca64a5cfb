// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// A reader looks for what a page names, so what it names is there.
@Suite struct CodeNameTests {
    /// What stands between backticks in the way of a request and is no name of the code: fields of HTTP.
    private static let foreign: Set = ["Content-Encoding", "Content-Range"]

    @Test func `the way of a request names what the sources have, a function with its file`() throws {
        let page = try Page(path: "Sources/Tern/Tern.docc/ARequestsWayThroughTheCode.md")
        let tree = SourceTree.project
        let suites = try Self.files(below: ["Tests"])
        for span in page.spans where !Self.foreign.contains(span.text) {
            // A link to a symbol names its module before a slash.
            let text = span.isSymbol ? span.text.replacing("/", with: ".") : span.text
            guard let name = CodeName(text) else {
                Issue.record("\(page.path):\(span.line): `\(span.text)` is no name of the code")
                continue
            }
            if suites.contains(span.text + ".swift") { continue }
            let files = page.spans.filter { $0.line == span.line && $0.text.hasSuffix(".swift") }
            let lack = tree.lacks(name, in: files.flatMap { tree.files(at: $0.text) })
            #expect(lack == nil, "\(page.path):\(span.line): `\(span.text)`")
        }
    }

    @Test func `the files that the page for contributors names exist`() throws {
        let page = try Page(path: "CONTRIBUTING.md")
        let names = try Self.files(below: ["Sources", "Tests"])
        let words = page.spans.flatMap { span in
            span.text.split { $0 == " " || $0 == "\n" }.map { Page.Span(text: String($0), line: span.line) }
        }
        for path in (words + page.links).filter({ Self.isPath($0.text) }) {
            let isThere = FileManager.default.fileExists(atPath: Page.root.appending(path: path.text).path)
            #expect(isThere || names.contains(path.text), "\(page.path):\(path.line): \(path.text)")
        }
    }

    /// Nothing that a build makes.
    private static func isPath(_ word: String) -> Bool {
        guard case .file? = CodeName(word) else {
            guard case .folder? = CodeName(word) else { return word.hasSuffix(".c") }
            return !word.hasPrefix(".build/")
        }
        return true
    }

    /// The names of the files, without their folders.
    private static func files(below folders: [String]) throws -> Set<String> {
        Set(
            try folders.flatMap { folder in
                try FileManager.default.subpathsOfDirectory(atPath: Page.root.appending(path: folder).path)
                    .map { String($0[($0.lastIndex(of: "/").map($0.index(after:)) ?? $0.startIndex)...]) }
            })
    }

    @Test func `code spans end at as many backticks, in this line or the next, and blocks are none`() {
        let page = Page(
            path: "Page.md",
            text: "One `a` and ``b`c``\n```swift\nlet d = `e`\n```\n`f\ng` h ` i [link](j.md#k) [m](https://n.o)\n")
        #expect(page.spans.map(\.text) == ["a", "b`c", "f\ng"])
        #expect(page.spans.map(\.line) == [1, 1, 5])
        #expect(page.links.map(\.text) == ["j.md"])
    }

    @Test(arguments: [
        ("A/One.swift", CodeName.file("A/One.swift")), ("A/", .folder("A")), ("M/A", .folder("M/A")),
        ("One", .type("One", within: nil)), ("One.Two", .type("Two", within: "One")),
        ("go", .member("go", labels: nil, of: nil)), ("go()", .member("go", labels: [], of: nil)),
        ("One.go(_:to:)", .member("go", labels: ["_", "to"], of: "One")), ("a b", nil), ("go(to)", nil), ("A-B", nil),
    ])
    func `a name says what it is of`(_ text: String, _ name: CodeName?) { #expect(CodeName(text) == name) }

    @Test func `what a name lacks is said`() throws {
        let one = SourceFile(
            path: "TernEngine/A/One.swift",
            text: """
                struct One {
                    struct Two {}
                    enum Three { 
                        case here, there(Int)
                    }
                    func go<T>(_ value: Result<T, Never> = .none, with map: (Int, Int) -> [Int],
                        to end: Int) {}
                    func stop() {}
                }
                """)
        let tree = SourceTree(files: [one, SourceFile(path: "M/B/Four.swift", text: "struct Four {}\n")])
        func lacks(_ text: String, in files: [SourceFile] = []) throws -> Bool {
            tree.lacks(try #require(CodeName(text)), in: files) != nil
        }
        let present = [
            "A/One.swift", "M/B/Four.swift", "Four.swift", "A/", "M/B", "One", "M", "One.Two", "here", "there", "go",
            "go(_:with:to:)", "One.stop()", "one.stop()",
        ]
        for text in present { #expect(try !lacks(text), "\(text)") }
        let absent = [
            "B/Four.swift", "Five.swift", "B/", "Five", "Four.Two", "nowhere", "sto()", "go(_:with:)", "Four.stop()",
        ]
        for text in absent { #expect(try lacks(text), "\(text)") }
        #expect(try lacks("stop()", in: tree.files(at: "Four.swift")))
    }
}
