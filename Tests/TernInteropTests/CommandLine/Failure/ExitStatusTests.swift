// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import TernCLI

@Suite struct ExitStatusTests {
    @Test func `the page about the command has the same table`() throws {
        let root = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let file = root.appending(path: "Sources/Tern/Tern.docc/TheCommand.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        for status in ExitStatus.allCases { #expect(page.contains("| \(status.rawValue) | \(status.cause) |")) }
    }

    @Test func `the table has one line for each number`() {
        let lines = ExitStatus.table.split(separator: "\n")
        #expect(lines.count == ExitStatus.allCases.count)
        #expect(lines.first == "   0  done" && lines.contains("  28  a timeout passed"))
    }
}
