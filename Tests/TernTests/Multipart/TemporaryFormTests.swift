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

@Suite struct EncodedFormTests {
    private func form() -> MultipartFormData {
        let form = MultipartFormData()
        form.append(Data("value".utf8), withName: "name")
        return form
    }

    @Test func `a form below the threshold is encoded into memory`() throws {
        let form = form()
        guard case .data(let data) = try EncodedForm(form, threshold: form.contentLength + 1) else {
            Issue.record("a file")
            return
        }
        #expect(String(decoding: data, as: UTF8.self).contains("value"))
    }

    @Test func `a form of the threshold's size is encoded into a file`() throws {
        let form = form()
        guard case .file(let file) = try EncodedForm(form, threshold: form.contentLength) else {
            Issue.record("data")
            return
        }
        #expect(try String(contentsOf: file.url, encoding: .utf8).contains("value"))
    }
}
