// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestPrograms
import Testing

@testable import TernCLI

/// The table of curl's options, beside what tern has, what curl lists and what the page says.
@Suite struct CurlOptionTests {
    @Test func `what is the same or differs exists, and what is absent does not`() {
        let names = Set((RunOptions.descriptions + HelpText.common).flatMap(\.spellings) + ["-V"])
        for option in CurlOption.all {
            for name in option.names { #expect(names.contains(name) == (option.relation != .absent), "\(name)") }
            #expect(option.text.isEmpty == (option.relation == .same), "\(option.names)")
            #expect(!option.text.contains("|") && option.text.last != ".", "\(option.names)")
        }
    }

    @Test func `no option is listed twice`() {
        let names = CurlOption.all.flatMap(\.names)
        #expect(Set(names).count == names.count, "\(Dictionary(grouping: names) { $0 }.filter { $1.count > 1 }.keys)")
    }

    @Test func `every option that curl lists is in the table, under both of its names`() async throws {
        let listed = try await curl("--help", "all").split(separator: "\n").dropFirst()
        #expect(listed.count > 200)
        for line in listed {
            let names = line.split(separator: " ").prefix { $0.hasPrefix("-") }.map { $0.replacing(",", with: "") }
            let option = try #require(CurlOption(named: names.last.map(String.init) ?? ""), "\(line)")
            // "--no-alpn" is listed as the opposite of what no one gives.
            for name in names { #expect(option.names.contains(String(name)), "\(name)") }
        }
    }

    @Test func `the page has the lines of the table`() throws {
        let page = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
                .appending(path: "Sources/Tern/Tern.docc/OptionsOfCurl.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `-") }.map(String.init)
        let expected = Self.rows(.same) + Self.rows(.differs) + Self.rows(.absent)
        #expect(rows == expected, "the lines are:\n\(expected.joined(separator: "\n"))")
    }

    /// A line for each sentence, with all options of which it is true, in the order of the first.
    private static func rows(_ relation: CurlOption.Relation) -> [String] {
        let options = CurlOption.all.filter { $0.relation == relation }
        var texts: [String] = []
        for option in options where !texts.contains(option.text) { texts.append(option.text) }
        return texts.map { text in
            let names = options.filter { $0.text == text }
                .map { $0.names.map { "`\($0)`" }.joined(separator: ", ") }
            return "| \(names.joined(separator: "; ")) | \(relation.rawValue) | \(text) |"
        }
    }
}
