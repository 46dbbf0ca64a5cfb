// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import TestProofs
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct MultipartFormTests {
    private static let boundary = "b"

    private static func form() throws -> MultipartForm { try MultipartForm(boundary: boundary) }

    /// The content of a form, in chunks of at most `size`.
    private static func text(_ form: MultipartForm, by size: Int = 7) throws -> String {
        let source = form.makeSource()
        defer { source.finish() }
        var all = Data()
        while true {
            switch source.next(atMost: size, wake: {}) {
            case .bytes(let piece):
                #expect(piece.count <= size)
                all += piece
            case .later: break
            case .end: return String(decoding: all, as: UTF8.self)
            case .failed(let error): throw error
            }
        }
    }

    @Test func `parts stand between boundaries, each behind its fields`() throws {
        let file = try TestFile(Data("in a file".utf8))
        var form = try Self.form()
        form.append("tern", name: "bird")
        try form.append(Data("a\r\nb".utf8), name: "notes", fileName: "notes.txt")
        try form.append(file: file.path, name: "file", fileName: "f.png")
        try form.append(file: file.path, name: "typed", fileName: "f", type: "x/y")
        try form.append(contentsOf: file.path, name: "text")
        try form.append(ProbingSource([Data("str".utf8), Data("eam".utf8)]), length: 6, name: "stream", fileName: "s")
        let expected = """
            --b
            Content-Disposition: form-data; name="bird"

            tern
            --b
            Content-Disposition: form-data; name="notes"; filename="notes.txt"
            Content-Type: text/plain

            a
            b
            --b
            Content-Disposition: form-data; name="file"; filename="f.png"
            Content-Type: image/png

            in a file
            --b
            Content-Disposition: form-data; name="typed"; filename="f"
            Content-Type: x/y

            in a file
            --b
            Content-Disposition: form-data; name="text"

            in a file
            --b
            Content-Disposition: form-data; name="stream"; filename="s"
            Content-Type: application/octet-stream

            stream
            --b--

            """.replacing("\n", with: "\r\n")
        #expect(form.contentLength == expected.utf8.count)
        #expect(form.partsLength == 4 + 4 + 9 * 3 + 6)
        #expect(try Self.text(form) == expected)
        #expect(form.contentType == "multipart/form-data; boundary=b")
    }

    @Test func `any chunk size gives the same content, and a stream is read once`() throws {
        var form = try Self.form()
        form.append(String(repeating: "x", count: 100_000), name: "long")
        form.append("", name: "")
        let whole = try Self.text(form, by: 1 << 20)
        #expect(whole.utf8.count == form.contentLength)
        for size in [1, 2, 63, 65_536] { #expect(try Self.text(form, by: size) == whole) }
        try form.append(ProbingSource([Data("s".utf8)]), length: nil, name: "stream")
        #expect(!form.isReplayable)
        #expect(form.contentLength == nil && form.partsLength == nil)
        _ = try Self.text(form)
        #expect(throws: MultipartFormError.streamAlreadyUsed) { try Self.text(form) }
    }

    @Test func `a form without parts is its end`() throws {
        #expect(try Self.text(try Self.form()) == "--b--\r\n")
        #expect(try Self.form().contentLength == 7)
        guard case .data(let data) = try Self.form().body else {
            Issue.record("not in memory")
            return
        }
        #expect(data == Data("--b--\r\n".utf8))
    }

    @Test func `boundaries differ, and need no quotes`() throws {
        #expect(MultipartForm().boundary != MultipartForm().boundary)
        #expect(FormField.isToken(MultipartForm().boundary))
        for boundary in ["", "a b", "a\r\n", "a\"", String(repeating: "a", count: 71)] {
            #expect(throws: MultipartFormError.invalidBoundary(boundary)) { try MultipartForm(boundary: boundary) }
        }
    }

    @Test func `what cannot be a part is refused, and leaves the form as it was`() throws {
        let file = try TestFile(Data())
        var form = try Self.form()
        form.append("a", name: "b")
        let before = try Self.text(form)
        #expect(throws: MultipartFormError.noRegularFile(path: "/tmp")) { try form.append(file: "/tmp", name: "n") }
        #expect(throws: MultipartFormError.noRegularFile(path: "/dev/zero")) {
            try form.append(contentsOf: "/dev/zero", name: "n")
        }
        for path in ["/nowhere/at/all", "", file.path + "\0.png"] {
            let error = #expect(throws: MultipartFormError.self) { try form.append(file: path, name: "n") }
            guard case .unreadable(path, _)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        for type in ["a/b\r\nX: y", "a/b\n", "a\0b", "\u{7F}"] {
            #expect(throws: MultipartFormError.invalidField(name: "Content-Type")) {
                try form.append(Data(), name: "n", fileName: "f", type: type)
            }
        }
        #expect(throws: MultipartFormError.invalidField(name: "X:\r\nY")) {
            try form.append(ProbingSource([]), length: 0, fields: ["X:\r\nY": "z"])
        }
        #expect(throws: MultipartFormError.invalidLength(-1)) {
            try form.append(ProbingSource([]), length: -1, name: "n")
        }
        #expect(try Self.text(form) == before)
        try form.append(ProbingSource([]), length: .max - 1000, name: "n")
        #expect(throws: MultipartFormError.tooLarge) { try form.append(ProbingSource([]), length: 1000, name: "n") }
        #expect(form.contentLength != nil)
        form.append(String(repeating: "x", count: 1000), name: "n")
        #expect(form.contentLength == nil)
    }

    @Test(arguments: [false, true]) func `a form arrives whole, and is sent again where a redirect wants it`(
        isSecure: Bool
    ) async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin.redirecting(tls: isSecure ? authority.issue() : nil)
        let session = try Session.trusting(authority)
        let file = try TestFile(Data(repeating: 7, count: 300_000))
        let empty = try TestFile(Data())
        var form = try Self.form()
        form.append(Data(repeating: 1, count: 100_000), name: "data")
        try form.append(file: file.path, name: "file")
        try form.append(file: empty.path, name: "empty")
        let (answer, _) = try await session.upload(for: try URLRequest(origin, "/307?/to"), from: form)
        let length = try #require(form.contentLength)
        #expect(String(decoding: answer, as: UTF8.self) == "POST /to \(length)")
        let whole = Array(try Self.text(form, by: 100_000).utf8)
        #expect(origin.requests.map { $0.body == whole } == [true, true])
        #expect(origin.requests.map { $0.value(of: "content-length") } == ["\(length)", "\(length)"])
        #expect(origin.requests.map { $0.value(of: "content-type") } == [form.contentType, form.contentType])
        #expect(file.openCount == 0)
    }

    @Test func `a short form is sent together with the head, and a stream's content with the parts around it`()
        async throws
    {
        let origin = try ScriptedOrigin { _, request in [.ok("\(request.body.count)")] }
        let session = Session.limited()
        var form = MultipartForm()
        form.append("a", name: "b")
        guard case .data = form.body else {
            Issue.record("a short form is not in memory")
            return
        }
        try form.append(ProbingSource([Data("stream".utf8)]), length: nil, name: "c")
        let answer = try await session.upload(for: try URLRequest(origin, method: "PUT"), from: form).0
        #expect(origin.requests.first?.value(of: "transfer-encoding") == "chunked")
        #expect(origin.requests.first?.method == "PUT")
        #expect(String(decoding: answer, as: UTF8.self) == "\(origin.requests.first?.body.count ?? 0)")
    }
}

@Suite struct FormFieldTests {
    @Test(arguments: [
        ("plain", "plain"), ("a b;c=d", "a b;c=d"), ("Küste 🐦", "Küste 🐦"), (#"quo"te"#, "quo%22te"),
        (#"back\slash"#, #"back\slash"#), ("100%22", "100%22"),
        ("line\r\nX-Injected: yes", "line%0D%0AX-Injected: yes"),
        ("\r\n--b--\r\n", "%0D%0A--b--%0D%0A"), ("nul\0\u{7F}\t", "nul%00%7F%09"), ("", ""),
    ])
    func `a name cannot end its quotes or its line`(name: String, quoted: String) {
        #expect(FormField.disposition(name: name, fileName: nil).value == "form-data; name=\"\(quoted)\"")
        let field = FormField.disposition(name: "n", fileName: name)
        #expect(field.value == "form-data; name=\"n\"; filename=\"\(quoted)\"")
        #expect(FormField.isValid(field))
    }

    @Test func `a field has a token for a name, and no end of line in its value`() {
        #expect(FormField.isValid(.init(name: "X-A", value: "b\tc ü")))
        for (name, value) in [("", "a"), ("A B", "a"), ("A:", "a"), ("A", "b\r\nc"), ("A", "\n"), ("A", "\0")] {
            #expect(!FormField.isValid(.init(name: name, value: value)))
        }
    }
}

@Suite struct MediaTypesTests {
    @Test(
        .proves("9.12g"),
        arguments: [
            ("a.png", "image/png"), ("/b/a.tar.GZ", "application/gzip"), ("Makefile", "application/octet-stream"),
            (".png", "application/octet-stream"), ("a.", "application/octet-stream"), ("", "application/octet-stream"),
            ("folder.png/file", "application/octet-stream"), ("/", "application/octet-stream"),
            ("ü.JPEG", "image/jpeg"),
        ])
    func `the extension of a name determines its type`(name: String, type: String) {
        #expect(MediaTypes.type(ofFile: name) == type)
    }
}
