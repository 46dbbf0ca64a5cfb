// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestPrograms
import Testing

@testable import TernCLI

/// The options that README and guides name, beside those that there are.
@Suite struct GuideOptionTests {
    /// What other programs have, and what is shown as a mistake.
    private static let others: Set = ["--outpt", "--package-path", "--scenarios", "--seed"]

    @Test func `every option that a guide names is one of tern's, of a script's or in the table of curl's`() throws {
        let known = Self.names(below: RootCommand.self)
            .union(HelpText.common.flatMap(\.names)).union(CurlOption.all.flatMap(\.names)).union(Self.others)
            .union(try Self.files(in: "scripts").flatMap(Self.options(in:)))
        let pages = try Self.pages
        #expect(pages.count > 40)
        let unknown = try pages.flatMap { page in
            Self.options(in: try String(contentsOf: page, encoding: .utf8)).filter { !known.contains($0) }
                .map { "\(page.lastPathComponent): \($0)" }
        }
        #expect(unknown == [])
    }

    private static func names(below command: any ToolCommand.Type) -> Set<String> {
        command.subcommands.reduce(into: Set(command.descriptions.flatMap(\.names))) { $0.formUnion(names(below: $1)) }
    }

    /// Every word that begins with two dashes and a letter, but those that end in a placeholder, as in "--no-NAME".
    private static func options(in text: String) -> [String] {
        text.matches(of: /(?:^|[^-\w])(--[a-z][a-z0-9.\-]*[a-z0-9])(?![\w\-])/.anchorsMatchLineEndings())
            .map { String($0.1) }
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func files(in folder: String) throws -> [String] {
        let folder = root.appending(path: folder)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
    }

    private static var pages: [URL] {
        get throws {
            let names = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: "Sources").path)
                .filter { $0.hasSuffix(".md") }.map { "Sources/" + $0 }
            return (names + ["README.md", "CONTRIBUTING.md", "examples/README.md"]).map { root.appending(path: $0) }
        }
    }
}
