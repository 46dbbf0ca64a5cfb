// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A page of Markdown, read as the code spans and the links in it.
struct Page {
    struct Span {
        let text: String
        /// Of its first character, from 1 on.
        let line: Int
        /// Whether two backticks begin it, as a link to a symbol.
        var isSymbol = false
    }

    let path: String
    let lines: [Substring]
    /// What stands between backticks, fenced blocks excepted. A span may continue in the next line.
    let spans: [Span]
    /// The targets of links that are neither URLs nor symbols.
    let links: [Span]

    static let root = URL(fileURLWithPath: #filePath).appending(path: "../../..").standardizedFileURL

    /// - Parameter path: below the project's root.
    init(path: String) throws {
        self.init(path: path, text: try String(contentsOf: Self.root.appending(path: path), encoding: .utf8))
    }

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        spans = Self.spans(of: Array(text.utf8))
        links = lines.enumerated().flatMap { index, line in
            line.components(separatedBy: "](").dropFirst().map { rest in
                Span(text: String(rest.prefix { $0 != ")" && $0 != "#" }), line: index + 1)
            }
        }.filter { !$0.text.isEmpty && !$0.text.contains("://") }
    }

    /// As in CommonMark, a run of backticks ends at the next run of the same length; a run without an end is text.
    private static func spans(of text: [UInt8]) -> [Span] {
        let tick = UInt8(ascii: "`")
        var (spans, line, index) = ([Span](), 1, 0)
        while index < text.count {
            guard text[index] == tick else {
                if text[index] == UInt8(ascii: "\n") { line += 1 }
                index += 1
                continue
            }
            let begin = index + text[index...].prefix { $0 == tick }.count
            let isFence = begin - index >= 3 && (index == 0 || text[index - 1] == UInt8(ascii: "\n"))
            guard let end = self.end(of: begin - index, in: text, from: begin) else {
                index = begin
                continue
            }
            if !isFence {
                let span = String(decoding: text[begin..<end], as: UTF8.self)
                spans.append(Span(text: span, line: line, isSymbol: begin - index == 2))
            }
            line += text[begin..<end].count { $0 == UInt8(ascii: "\n") }
            index = end + begin - index
        }
        return spans
    }

    private static func end(of count: Int, in text: [UInt8], from begin: Int) -> Int? {
        var index = begin
        while let start = text[index...].firstIndex(of: UInt8(ascii: "`")) {
            index = start + text[start...].prefix { $0 == UInt8(ascii: "`") }.count
            if index - start == count { return start }
        }
        return nil
    }
}
