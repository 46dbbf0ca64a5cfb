// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// A program that imports Tern has every public type of the engine, but for those that are listed.
@Suite struct ExportTests {
    private static let root = URL(fileURLWithPath: #filePath).appending(path: "../../..").standardizedFileURL
    /// Tern has a delegate of its own of this name, and passes resume data on as bytes, as URLSession does.
    private static let own: Set = ["SessionDelegate", "ResumeData"]

    @Test func `every public type of the engine is a name of Tern`() throws {
        let list = try String(contentsOf: Self.root.appending(path: "Tests/PublicAPI/TernEngine.txt"), encoding: .utf8)
        let exports = try String(contentsOf: Self.root.appending(path: "Sources/Tern/Exports.swift"), encoding: .utf8)
        let declared = list.split(separator: "\n").compactMap { line in
            try? /^([A-Z]\w*): (?:@\S+ |final |open |indirect )*(?:struct|enum|class|protocol|actor) \w/.firstMatch(
                in: line
            )
            .map { String($0.1) }
        }
        let exported = exports.matches(of: /import \w+ TernEngine\.(\w+)/).map { String($0.1) }
        #expect(declared.count > 100)
        #expect(Set(declared).subtracting(exported) == Self.own)
    }
}
