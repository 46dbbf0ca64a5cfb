// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestProofs
import Testing

@testable import Tern

@Suite struct MultipartFormDataTests {
    private let folder = TestFolder()

    /// The form as text, with ends of lines as in Swift and its boundary called "b".
    private func text(_ form: MultipartFormData) throws -> String {
        String(decoding: try form.encode(), as: UTF8.self).replacing(form.boundary, with: "b").replacing(
            "\r\n", with: "\n")
    }

    private func reason(_ work: () throws -> Void) -> AFError.MultipartEncodingFailureReason? {
        do {
            try work()
        } catch AFError.multipartEncodingFailed(let reason) {
            return reason
        } catch {
            Issue.record("\(error)")
        }
        return nil
    }

    private func refusal(_ append: (MultipartFormData) -> Void) -> AFError.MultipartEncodingFailureReason? {
        let form = MultipartFormData()
        append(form)
        return reason { _ = try form.encode() }
    }

    @Test(.proves("9.12a")) func `data, files and streams stand between boundaries`() throws {
        let picture = try folder.file("tern.png", "picture")
        let form = MultipartFormData()
        form.append(Data("one".utf8), withName: "a")
        form.append(Data("two".utf8), withName: "b", mimeType: "text/x")
        form.append(Data("three".utf8), withName: "c", fileName: "c.bin", mimeType: "x/c")
        form.append(picture, withName: "d")
        form.append(picture, withName: "e", fileName: "e", mimeType: "x/e")
        form.append(
            InputStream(data: Data("four".utf8)), withLength: 4, name: "f", fileName: "f.txt", mimeType: "text/plain")
        form.append(
            InputStream(fileAtPath: picture.path) ?? InputStream(data: Data()), withLength: 7,
            headers: ["X-B": "2", "Content-Disposition": "form-data; name=\"g\""])
        #expect(
            try text(form) == """
                --b
                Content-Disposition: form-data; name="a"

                one
                --b
                Content-Disposition: form-data; name="b"
                Content-Type: text/x

                two
                --b
                Content-Disposition: form-data; name="c"; filename="c.bin"
                Content-Type: x/c

                three
                --b
                Content-Disposition: form-data; name="d"; filename="tern.png"
                Content-Type: image/png

                picture
                --b
                Content-Disposition: form-data; name="e"; filename="e"
                Content-Type: x/e

                picture
                --b
                Content-Disposition: form-data; name="f"; filename="f.txt"
                Content-Type: text/plain

                four
                --b
                Content-Disposition: form-data; name="g"
                X-B: 2

                picture
                --b--

                """)
        #expect(form.contentLength == 3 + 3 + 5 + 7 + 7 + 4 + 7)
        #expect(form.contentType == "multipart/form-data; boundary=\(form.boundary)")
        #expect(form.boundary.wholeMatch(of: /alamofire\.boundary\.[0-9a-f]{16}/) != nil)
        #expect(form.boundary != MultipartFormData().boundary)
    }

    @Test func `files can be encoded again, and streams cannot`() throws {
        let form = MultipartFormData()
        form.append(try folder.file("a.txt", "text"), withName: "a")
        #expect(try form.encode() == form.encode())
        form.append(InputStream(data: Data("s".utf8)), withLength: 1, name: "s", fileName: "s", mimeType: "x/y")
        _ = try form.encode()
        guard case .inputStreamReadFailed(let error)? = reason({ _ = try form.encode() }) else {
            Issue.record("read twice")
            return
        }
        #expect(error as? MultipartFormError == .streamAlreadyUsed)
    }

    @Test(.proves("9.12b")) func `a file is asked for in order: a name, a file URL, being there, no directory, a size`()
        throws
    {
        let form = { (url: URL) in self.refusal { $0.append(url, withName: "n") } }
        guard case .bodyPartFilenameInvalid? = form(try folder.file("noextension", "")) else {
            Issue.record("a name without an extension determines no type")
            return
        }
        let remote = try #require(URL(string: "https://example.com/image.jpg"))
        guard case .bodyPartURLInvalid(remote)? = form(remote) else {
            Issue.record("not a file URL")
            return
        }
        let missing = folder.url.appendingPathComponent("missing.jpg")
        guard case .bodyPartFileNotReachableWithError(missing, let error)? = form(missing) else {
            Issue.record("not there")
            return
        }
        #expect((error as? SystemCallError)?.call == .open)
        let directory = refusal { $0.append(self.folder.url, withName: "n", fileName: "f", mimeType: "x/y") }
        guard case .bodyPartFileIsDirectory(folder.url)? = directory else {
            Issue.record("\(String(describing: directory))")
            return
        }
        let device = URL(fileURLWithPath: "/dev/null")
        guard
            case .bodyPartFileSizeNotAvailable(device)? = refusal({
                $0.append(device, withName: "n", fileName: "f", mimeType: "x/y")
            })
        else {
            Issue.record("a device has no size")
            return
        }
    }

    @Test(.proves("9.12c")) func `the first error is kept, and thrown by both encodings`() throws {
        let form = MultipartFormData()
        form.append(folder.url.appendingPathComponent("missing.jpg"), withName: "n")
        form.append(URL(fileURLWithPath: "/"), withName: "n", fileName: "f", mimeType: "x/y")
        form.append(Data("fine".utf8), withName: "n")
        let target = folder.url.appendingPathComponent("form")
        for reason in [reason { _ = try form.encode() }, reason { try form.writeEncodedData(to: target) }] {
            guard case .bodyPartFileNotReachableWithError? = reason else {
                Issue.record("\(String(describing: reason))")
                return
            }
        }
        #expect(!FileManager.default.fileExists(atPath: target.path))
    }

    @Test(.proves("9.12e")) func `neither a name nor a type can add a field or end the part`() throws {
        let form = MultipartFormData()
        form.append(Data("x".utf8), withName: "a\"\r\nX-Evil: 1", fileName: "b\r\n\r\n--b", mimeType: "x/y")
        #expect(
            try text(form).contains(#"name="a%22%0D%0AX-Evil: 1"; filename="b%0D%0A%0D%0A--b""# + "\n"))
        for reason in [
            refusal { $0.append(Data(), withName: "n", mimeType: "x/y\r\nX-Evil: 1") },
            refusal { $0.append(InputStream(data: Data()), withLength: 0, headers: ["X": "a\r\nX-Evil: 1"]) },
        ] {
            guard case .inputStreamReadFailed(MultipartFormError.invalidField)? = reason else {
                Issue.record("\(String(describing: reason))")
                return
            }
        }
    }

    @Test(.proves("9.12f")) func `a stream must have its announced length`() {
        func error(_ length: UInt64, of count: Int) -> MultipartFormError? {
            let reason = refusal {
                $0.append(
                    InputStream(data: Data(count: count)), withLength: length, name: "n", fileName: "f", mimeType: "x/y"
                )
            }
            guard case .inputStreamReadFailed(let error)? = reason else { return nil }
            return error as? MultipartFormError
        }
        #expect(error(10, of: 10) == nil)
        #expect(error(10, of: 9) == .streamTooShort(missing: 1))
        #expect(error(10, of: 11) == .streamTooLong(excess: 1))
        #expect(error(.max, of: 1) == .tooLarge)
        #expect(error(UInt64(Int.max), of: 1) == .tooLarge)
    }

    @Test(.proves("9.12f"), arguments: UnreadableStream.allCases)
    func `a stream that cannot be read fails the form, and nothing else`(kind: UnreadableStream) throws {
        let stream = try kind.make()
        let form = MultipartFormData()
        form.append(stream, withLength: 3, name: "n", fileName: "f", mimeType: "x/y")
        guard case .inputStreamReadFailed? = reason({ _ = try form.encode() }) else {
            Issue.record("\(kind) was encoded.")
            return
        }
    }

    @Test(.proves("9.12f")) func `a stream that cannot be opened says so`() {
        let path = folder.url.path + "/missing"
        let reason = refusal {
            let stream = InputStream(fileAtPath: path) ?? InputStream(data: Data())
            $0.append(stream, withLength: 1, name: "n", fileName: "f", mimeType: "x/y")
        }
        guard case .inputStreamReadFailed? = reason else {
            Issue.record("\(String(describing: reason))")
            return
        }
    }

    @Test(.proves("9.12d")) func `a form is written into a new file, and into no other`() throws {
        let form = MultipartFormData()
        form.append(Data(repeating: 7, count: 300_000), withName: "a")
        let target = folder.url.appendingPathComponent("form")
        try form.writeEncodedData(to: target)
        #expect(try Data(contentsOf: target) == form.encode())
        let plain = folder.url.appendingPathComponent("plain")
        close(unsafe open(plain.path, O_WRONLY | O_CREAT, 0o666))
        let modes = try [plain, target].map {
            try FileManager.default.attributesOfItem(atPath: $0.path)[.posixPermissions] as? Int
        }
        #expect(modes[0] == modes[1])
        guard case .outputStreamFileAlreadyExists(target)? = reason({ try form.writeEncodedData(to: target) }) else {
            Issue.record("an old file was written over")
            return
        }
        let remote = try #require(URL(string: "/this/is/no/file/url"))
        guard case .outputStreamURLInvalid(remote)? = reason({ try form.writeEncodedData(to: remote) }) else {
            Issue.record("not a file URL")
            return
        }
        let nowhere = folder.url.appendingPathComponent("no/such/folder")
        guard case .outputStreamCreationFailed(nowhere)? = reason({ try form.writeEncodedData(to: nowhere) }) else {
            Issue.record("there is no such folder")
            return
        }
    }

    @Test(.proves("9.12d")) func `nothing is left of a form that cannot be written to its end`() throws {
        let form = MultipartFormData()
        form.append(Data(repeating: 7, count: 300_000), withName: "a")
        form.append(InputStream(data: Data()), withLength: 1, name: "n", fileName: "f", mimeType: "x/y")
        let target = folder.url.appendingPathComponent("form")
        #expect(reason { try form.writeEncodedData(to: target) } != nil)
        #expect(!FileManager.default.fileExists(atPath: target.path))
    }
}
