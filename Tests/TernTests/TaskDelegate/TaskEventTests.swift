// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Tern

@Suite struct TaskEventTests {
    @Test func `only a complete download has a file`() throws {
        let manager = SessionManager()
        manager.startRequestsImmediately = false
        let task = try #require(manager.download("http://127.0.0.1:1/").task as? SessionDownloadTask)
        let file = URL(filePath: "/a/b")
        #expect(TaskEvent.download(task, .arrived(file)).file == file)
        #expect(TaskEvent.download(task, .wrote(1, total: 1, expected: -1)).file == nil)
        #expect(TaskEvent.data(Data()).file == nil)
    }
}
