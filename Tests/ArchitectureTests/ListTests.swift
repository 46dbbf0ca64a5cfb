// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// A list of a peer is read by `ListRules`, which stops: what splits at commas does not, and is for texts of the program.
@Suite struct ListTests {
    private static let sources = URL(fileURLWithPath: #filePath).appending(path: "../../../Sources").standardizedFileURL
    /// A dictionary of fields that a program gives, and an option of a command line.
    private static let programs = ["Cookies/HTTPCookieStorage.swift", "Resolving/AddressOverride.swift"]

    @Test func `only texts of the program are split at commas`() throws {
        var splitting: Set<String> = []
        for module in ["TernHTTP1", "TernEngine"] {
            let folder = Self.sources.appending(path: module)
            let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
            for path in paths where path.hasSuffix(".swift") {
                let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
                let splits = [#"split(separator: ",""#, #"split(separator: UInt8(ascii: ",")"#]
                if splits.contains(where: text.contains) { splitting.insert(path) }
            }
        }
        #expect(splitting == Set(Self.programs))
    }
}
