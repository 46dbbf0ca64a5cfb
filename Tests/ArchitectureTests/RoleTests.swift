// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestProofs
import Testing

/// The manager makes requests, a request leads to its task, and the task's delegate does what each task needs.
@Suite struct RoleTests {
    private static let sources = URL(fileURLWithPath: #filePath)
        .appending(path: "../../../Sources/Tern").standardizedFileURL

    private func text(of folder: String, _ prefix: String) throws -> [String] {
        let folder = Self.sources.appending(path: folder)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasPrefix(prefix) && $0.hasSuffix(".swift") }
            .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
    }

    @Test(.proves("11.1b")) func `no event of a task reaches the manager: the hub takes all of them`() throws {
        let events = ["didReceive", "didSendBodyData", "didWriteData", "didComplete", "didFinishDownloading"]
        let managers = try text(of: "Manager", "SessionManager")
        let hubs = try text(of: "Manager", "SessionDelegate")
        #expect(!managers.isEmpty)
        for event in events {
            #expect(!managers.contains { $0.contains(event) }, "\(event)")
            #expect(hubs.contains { $0.contains(event) }, "\(event)")
        }
    }

    @Test(.proves("11.1c")) func `a task's delegate knows nothing of the manager`() throws {
        let delegates = try text(of: "TaskDelegate", "")
        #expect(!delegates.isEmpty)
        #expect(!delegates.contains { $0.contains("SessionManager(") || $0.contains("manager: SessionManager") })
    }
}
