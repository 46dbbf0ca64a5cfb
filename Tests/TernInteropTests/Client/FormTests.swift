// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTesting
import TestPrograms
import TestProofs
import Testing

/// Forms, read by parsers of other makes, and stored by nginx.
@Suite(.serialized, .timeLimit(.minutes(2))) struct FormTests {
    private static func digest(_ data: Data) async throws -> String {
        let folder = try TemporaryFolder()
        let file = try folder.write(data, to: "data")
        return try await String(Command.run(["sha256sum", file]).output.prefix { $0 != " " })
    }

    /// The form a test sends, and what is to be found in it.
    private static func form(_ folder: TemporaryFolder) async throws -> (MultipartForm, [FormServer.Part]) {
        let long = Pattern.bytes(3_000_000)
        let lines = Data("\r\n--\r\n\r\n--boundary--\r\n".utf8)
        var form = MultipartForm()
        form.append("küste 🐦", name: "text")
        form.append("", name: "empty")
        form.append(lines, name: "lines")
        try form.append(file: folder.write(long, to: "long.png"), name: "file")
        try form.append(file: folder.write(Data(), to: "nothing"), name: "file", fileName: "ein Bild ü.jpg")
        try form.append(Data("{}".utf8), name: "json", fileName: nil, type: "application/json")
        let (disposition, both) = (["Content-Disposition"], ["Content-Disposition", "Content-Type"])
        let parts: [(String, String?, String?, Data, [String])] = [
            ("text", nil, nil, Data("küste 🐦".utf8), disposition), ("empty", nil, nil, Data(), disposition),
            ("lines", nil, nil, lines, disposition), ("file", "long.png", "image/png", long, both),
            ("file", "ein Bild ü.jpg", "image/jpeg", Data(), both),
            ("json", nil, "application/json", Data("{}".utf8), both),
        ]
        var expected: [FormServer.Part] = []
        for (name, fileName, type, data, fields) in parts {
            expected.append(
                .init(
                    name: name, fileName: fileName, type: type, size: data.count, sha256: try await digest(data),
                    fields: fields))
        }
        return (form, expected)
    }

    @Test(arguments: [false, true]) func `Python's parser finds every part as it was given`(isChunked: Bool)
        async throws
    {
        let server = try await FormServer()
        let folder = try TemporaryFolder()
        var (form, expected) = try await Self.form(folder)
        if isChunked {
            let pieces = AsyncStream<Data> { continuation in
                for _ in 0..<3 { continuation.yield(Data(repeating: 9, count: 100_000)) }
                continuation.finish()
            }
            guard case .once(let source, _) = RequestBody.sequence(pieces) else { return }
            try form.append(source, length: nil, name: "stream", fileName: "s.bin", type: "x/y")
            expected.append(
                .init(
                    name: "stream", fileName: "s.bin", type: "x/y", size: 300_000,
                    sha256: try await Self.digest(Data(repeating: 9, count: 300_000)),
                    fields: ["Content-Disposition", "Content-Type"]))
        }
        let (data, _) = try await Session().upload(for: try Tern.URLRequest(string: server.url), from: form)
        let answer = try JSONDecoder().decode(FormServer.Answer.self, from: data)
        #expect(answer.parts == expected)
        #expect(answer.defects == 0)
    }

    @Test func `no name can add a field or a part`() async throws {
        let server = try await FormServer()
        var form = MultipartForm()
        let names = ["a\"; filename=\"b", "a\r\nX-Evil: 1", "a\r\n\r\n--\(form.boundary)--\r\n", "a\u{0}b", "\\", "\""]
        for name in names { try form.append(Data("x".utf8), name: name, fileName: name, type: "x/y") }
        let (data, _) = try await Session().upload(for: try Tern.URLRequest(string: server.url), from: form)
        let answer = try JSONDecoder().decode(FormServer.Answer.self, from: data)
        #expect(answer.parts.count == names.count)
        #expect(answer.parts.allSatisfy { $0.fields == ["Content-Disposition", "Content-Type"] && $0.size == 1 })
    }

    @Test(.proves("2.15d")) func `what Alamofire's class encodes is read the same, from memory and from a file`()
        async throws
    {
        let server = try await FormServer()
        let folder = try TemporaryFolder()
        let picture = URL(filePath: try folder.write(Data(repeating: 7, count: 200_000), to: "tern.png"))
        for threshold: UInt64 in [0, 1_000_000] {
            let data: Data? = await withCheckedContinuation { continuation in
                Tern.upload(
                    multipartFormData: { form in
                        form.append(picture, withName: "picture")
                        form.append(Data("two".utf8), withName: "b", fileName: "b.txt", mimeType: "text/plain")
                        form.append(
                            InputStream(data: Data("stream".utf8)), withLength: 6, name: "c", fileName: "c",
                            mimeType: "x/y")
                    }, usingThreshold: threshold, to: server.url
                ) { result in
                    switch result {
                    case .success(let request, let streams, _):
                        #expect(streams == (threshold == 0))
                        request.responseData { continuation.resume(returning: $0.value) }
                    case .failure(let error):
                        Issue.record("\(error)")
                        continuation.resume(returning: nil)
                    }
                }
            }
            let answer = try JSONDecoder().decode(FormServer.Answer.self, from: try #require(data))
            #expect(answer.parts.map(\.size) == [200_000, 3, 6])
            #expect(answer.parts.map(\.fileName) == ["tern.png", "b.txt", "c"])
            #expect(answer.parts.map(\.type) == ["image/png", "text/plain", "x/y"])
        }
    }

    @Test(arguments: [false, true]) func `nginx stores a form of 200 MB, and we hold none of it`(isSecure: Bool)
        async throws
    {
        let server = try await NginxServer(
            directives: """
                client_max_body_size 0;
                location = /upload {
                    client_body_in_file_only on;
                    add_header X-Content-File $request_body_file;
                    proxy_http_version 1.1;
                    proxy_pass_request_body off;
                    proxy_set_header Content-Length "";
                    proxy_pass $scheme://$server_addr:$server_port/ok;
                }
                """)
        let folder = try TemporaryFolder()
        let file = try folder.write(Data(), to: "sparse")
        let handle = try #require(FileHandle(forWritingAtPath: file))
        try handle.truncate(atOffset: 200_000_000)
        try handle.close()
        var form = MultipartForm()
        try form.append(file: file, name: "file")
        var configuration = SessionConfiguration()
        configuration.tls.anchors = .only([try X509Certificate(pem: server.authority.certificatePEM)])
        let session = Session(configuration: configuration)
        let url = isSecure ? server.secureURL("/upload") : server.url("/upload")
        let before = Self.peak()
        let (data, response) = try await session.upload(for: try Tern.URLRequest(string: url), from: form)
        #expect(String(decoding: data, as: UTF8.self) == "ok")
        let stored = try #require(response.value(forHTTPHeaderField: "X-Content-File"))
        let size = try FileManager.default.attributesOfItem(atPath: stored)[.size] as? Int
        #expect(size == form.contentLength)
        try FileManager.default.removeItem(atPath: stored)
        // A sanitizer keeps much of the released memory.
        #expect(Self.peak() - before < 160_000_000)
    }

    /// The most memory this process has had, in bytes.
    private static func peak() -> Int {
        var usage = rusage()
        _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss * 1024
    }
}
