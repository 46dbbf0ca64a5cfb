// SPDX-License-Identifier: Apache-2.0
import TestProofs
import Testing

/// No two folders of a module know each other, and those of the engine and of Tern know only the folders in a table.
@Suite struct FolderTests {
    /// The folders that each folder knows.
    private static let tables: [String: [String: String]] = ["TernEngine": engine, "Tern": tern]

    private static let engine = [
        "Attempt": "Authentication Configuration Connection Errors Events Limits Links Message Pool Proxies Resolving",
        "Authentication": "Errors Message URI",
        "Bodies": "",
        "Callbacks": "Authentication Downloads Events Message Session Streams Task Trust",
        "Cassettes": "Decoding Errors JSON Message",
        "Cache": "Authentication Decoding Message Ranges URI",
        "Collecting": "Errors Limits Task",
        "Configuration": "Authentication Cache Cassettes Cookies Decoding Egress Events Limits Message Proxies "
            + "Resolving StrictTransport Trust",
        "Connection": "Bodies Errors Limits Message Transport URI",
        "Cookies": "Message",
        "Decoding": "Bodies Errors Message",
        "Dialling": "Configuration Connection Egress Errors Message Proxies RawStreams Resolving Transport Trust",
        "Downloads": "Connection Errors Events JSON Message Ranges Task URI",
        "Egress": "",
        "Events": "Authentication Bodies Cache Connection Cookies Errors Message Trust URI",
        "Errors": "Bodies Egress Message Ranges Resolving URI",
        "JSON": "",
        "Limits": "Message",
        "Message": "Bodies Egress Resolving URI",
        "Multipart": "Bodies Message URI",
        "Policies":
            "Attempt Authentication Configuration Cookies Errors Events Limits Links Message Rules StrictTransport Task",
        "Pool": "Connection Dialling Errors Message RawStreams URI",
        "Proxies": "Authentication Errors Message",
        "Ranges": "Message",
        "RawStreams": "Connection Errors Transport",
        "Resolving": "",
        "ResponseSources":
            "Attempt Cache Cassettes Configuration Connection Errors Limits Message Rules Task Transport URI",
        "Rules": "Attempt Authentication Configuration Egress Errors Message Proxies Resolving URI",
        "Session":
            "Attempt Bodies Cache Collecting Configuration Connection Dialling Downloads Egress Errors Events Limits Message "
            + "Multipart Pool Proxies RawStreams ResponseSources Rules Streams Task Trust URI",
        "Streams": "Connection Errors Message Rules Task Transport",
        "StrictTransport": "Message",
        "Task":
            "Attempt Authentication Bodies Cache Configuration Connection Decoding Dialling Errors Events Limits Message "
            + "Pool RawStreams Rules Transport Trust",
        "Transport": "Errors",
        "Trust": "JSON Message",
        "URI": "",
    ]

    private static let tern = [
        "Encoding": "Request",
        "Manager": "Encoding Multipart Request TaskDelegate",
        "Multipart": "Request",
        "Notifications": "",
        "Request": "Notifications Response Serialization TaskDelegate",
        "Response": "",
        "Serialization": "",
        "TaskDelegate": "Notifications Response Serialization",
    ]

    @Test func `each file of the engine is in a folder, but for what it exports`() {
        let outside = SourceTree.project.files.filter { $0.module == "TernEngine" && $0.folder == nil }
        #expect(outside.map(\.path) == ["TernEngine/Exports.swift"])
    }

    @Test func `the way of a request says of each folder of the engine what it has, once`() throws {
        let page = try Page(path: "Sources/Tern/Tern.docc/ARequestsWayThroughTheCode.md")
        let table = page.lines.drop { $0 != "| room | what it has |" }.dropFirst(2).prefix { $0.hasPrefix("|") }
        let rooms = table.compactMap { $0.split(separator: "`").dropFirst().first }.map { String($0.dropLast()) }
        let folders = Set(SourceTree.project.files.filter { $0.module == "TernEngine" }.compactMap(\.folder))
        #expect(rooms.sorted() == folders.sorted())
    }

    @Test(arguments: ["TernEngine", "Tern"])
    func `folders know the folders that the table names, and no others`(_ module: String) {
        let arrows = SourceTree.project.arrows(in: module)
        let table = Self.tables[module] ?? [:]
        for (arrow, reason) in arrows where table[arrow.from]?.split(separator: " ").contains(arrow.to[...]) != true {
            Issue.record("\(reason), so \(arrow.from) knows \(arrow.to)")
        }
        for (from, names) in table {
            for to in names.split(separator: " ") where arrows[SourceTree.Arrow(from: from, to: String(to))] == nil {
                Issue.record("\(from) does not know \(to) any more")
            }
        }
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
