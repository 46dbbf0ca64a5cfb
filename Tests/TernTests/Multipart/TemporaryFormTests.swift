// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Tern

@Suite struct TemporaryFormTests {
    @Test func `the file is removed with its last reference`() throws {
        let form = MultipartFormData()
        form.append(Data("value".utf8), withName: "name")
        var file: TemporaryForm? = try TemporaryForm(form)
        let path = try #require(file?.url.path)
        #expect(FileManager.default.fileExists(atPath: path))
        file = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
