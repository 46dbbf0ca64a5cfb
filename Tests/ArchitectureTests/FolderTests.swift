// SPDX-License-Identifier: Apache-2.0
import TestProofs
import Testing

/// No two folders of a module know each other, and those of the engine and of Tern know only the folders below them.
@Suite struct FolderTests {
    /// A folder knows those named here, and the ones that they know.
    private static let tables: [String: [String: Set<String>]] = ["TernEngine": engine, "Tern": tern]

    private static let engine: [String: Set<String>] = [
        "Session": ["Collecting", "Downloads", "Links", "Multipart", "Policies", "Streams"],
        "Downloads": ["Task"],
        "Streams": ["Task"],
        "Collecting": ["Task"],
        "Policies": ["Cookies", "Task"],
        "Links": [],
        "Task": ["Pool", "Rules"],
        "Pool": ["Dialling"],
        "Dialling": ["Configuration", "RawStreams", "Trust"],
        "RawStreams": ["Connection"],
        "Connection": ["Transport"],
        "Transport": ["Bodies", "Errors"],
        "Configuration": ["Authentication", "Cookies", "Decoding", "Message"],
        "Authentication": ["Errors"],
        "Cookies": ["Message"],
        "Trust": ["JSON", "Message"],
        "Rules": ["Errors"],
        "Decoding": ["Errors"],
        "JSON": [],
        "Errors": ["Message", "Ranges"],
        "Ranges": ["Message"],
        "Message": ["Bodies", "URI"],
        "Bodies": [],
        "URI": [],
        "Multipart": ["Message"],
    ]

    private static let tern: [String: Set<String>] = [
        "Manager": ["Encoding", "Multipart"],
        "Encoding": ["Request"],
        "Multipart": ["Request"],
        "Request": ["TaskDelegate"],
        "TaskDelegate": ["Callbacks", "Challenge", "Notifications", "Response", "Serialization"],
        "Callbacks": [],
        "Challenge": [],
        "Notifications": [],
        "Response": [],
        "Serialization": [],
        "Reachability": [],
        "Trust": [],
    ]

    @Test func `each file of the engine is in a folder, but for what it exports`() {
        let outside = SourceTree.project.files.filter { $0.module == "TernEngine" && $0.folder == nil }
        #expect(outside.map(\.path) == ["TernEngine/Exports.swift"])
    }

    @Test(arguments: ["TernEngine", "Tern"])
    func `folders know only the folders below them`(_ module: String) {
        let table = Self.tables[module] ?? [:]
        for (arrow, reason) in SourceTree.project.arrows(in: module) {
            #expect(table[arrow.from] != nil, "\(arrow.from) has no line in the table")
            #expect(Self.isAbove(arrow.from, arrow.to, table), "\(reason), so \(arrow.from) knows \(arrow.to)")
        }
    }

    private static func isAbove(_ folder: String, _ other: String, _ table: [String: Set<String>]) -> Bool {
        let below = table[folder] ?? []
        return below.contains(other) || below.contains { isAbove($0, other, table) }
    }

    @Test(.proves("11.1a")) func `no two folders know each other`() {
        let tree = SourceTree.project
        for module in Set(tree.files.map(\.module)) {
            let arrows = tree.arrows(in: module)
            for (arrow, reason) in arrows where arrow.from < arrow.to {
                guard let back = arrows[SourceTree.Arrow(from: arrow.to, to: arrow.from)] else { continue }
                Issue.record("\(module): \(arrow.from), \(arrow.to): \(reason), and \(back)")
            }
        }
    }

    @Test func `a file knows the files whose types it names`() {
        let tree = SourceTree(files: [
            SourceFile(path: "M/A/One.swift", text: "struct One {\n    let two: Two  // Three\n}\n"),
            SourceFile(path: "M/B/Two.swift", text: "final class Two<Four> {\n    enum One { case four(Four) }\n}\n"),
            SourceFile(path: "M/C/Three.swift", text: "enum Three { case one([One]) }\n"),
            SourceFile(path: "M/C/Four.swift", text: "@safe\npublic struct Four { let text = \"Three\" }\n"),
        ])
        #expect(
            Set(tree.arrows(in: "M").keys) == [
                SourceTree.Arrow(from: "A", to: "B"), SourceTree.Arrow(from: "C", to: "A"),
            ])
    }
}
