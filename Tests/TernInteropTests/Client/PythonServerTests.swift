// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import Testing

/// A server of another make, and of the older version too: Python's.
@Suite(.serialized, .timeLimit(.minutes(2))) struct PythonServerTests {
    private static let files = [
        "letter.txt": Data("a letter".utf8), "empty.txt": Data(), "large.bin": Data(repeating: 7, count: 3_000_000),
        "folder/index.html": Data("index".utf8),
    ]

    @Test(arguments: PythonServer.Version.allCases)
    func `files of any length come whole, and a connection is kept by 1.1 alone`(version: PythonServer.Version)
        async throws
    {
        let server = try await PythonServer(version, files: Self.files)
        let session = Session()
        for (number, name) in ["letter.txt", "empty.txt", "large.bin", "letter.txt"].enumerated() {
            let record = try await RecordedTask.run(session, server.url("/\(name)"))
            #expect(record.status == 200)
            #expect(record.body == Self.files[name])
            #expect(record.error == nil)
            #expect(record.metrics?.isConnectionReused == (version == .http11 && number > 0))
        }
    }

    @Test(arguments: PythonServer.Version.allCases)
    func `a body that the end of its connection delimits is whole`(version: PythonServer.Version) async throws {
        let server = try await PythonServer(version, files: Self.files)
        let session = Session()
        let text = Data((0..<1000).map { "line \($0)\n" }.joined().utf8)
        for _ in 0..<2 {
            let record = try await RecordedTask.run(session, server.url("/until-close"))
            #expect(record.body == text)
            #expect(record.error == nil)
            #expect(record.metrics?.isConnectionReused == false)
        }
    }

    @Test(arguments: PythonServer.Version.allCases)
    func `a folder without its slash leads to the one with it`(version: PythonServer.Version) async throws {
        let server = try await PythonServer(version, files: Self.files)
        let (data, response) = try await Session().data(from: try #require(URL(string: server.url("/folder"))))
        #expect(data == Data("index".utf8))
        #expect(response.statusCode == 200)
        #expect(response.url?.absoluteString == server.url("/folder/"))
        #expect(response.history.map(\.statusCode) == [301])
        #expect(response.history.first?.url?.absoluteString == server.url("/folder"))
        #expect(await server.log.waitFor { $0.count(where: { $0.contains("\"GET /folder") }) == 2 })
    }

    @Test(arguments: PythonServer.Version.allCases)
    func `what is not there is 404, and what it cannot do 501`(version: PythonServer.Version) async throws {
        let server = try await PythonServer(version, files: Self.files)
        let session = Session()
        let missing = try await RecordedTask.run(session, server.url("/nothing"))
        #expect(missing.status == 404)
        #expect(missing.error == nil)
        var request = try Tern.URLRequest(string: server.url("/letter.txt"))
        request.httpMethod = "POST"
        request.httpBody = Data("a question".utf8)
        let (data, response) = try await session.data(for: request)
        #expect(response.statusCode == 501)
        #expect(String(decoding: data, as: UTF8.self).contains("501"))
        #expect(response.history.isEmpty)
    }

    @Test(arguments: PythonServer.Version.allCases)
    func `a range that is ignored is answered with all of it`(version: PythonServer.Version) async throws {
        let server = try await PythonServer(version, files: Self.files)
        var request = try Tern.URLRequest(string: server.url("/letter.txt"))
        request.setValue("bytes=2-3", forHTTPHeaderField: "Range")
        let (data, response) = try await Session().data(for: request)
        #expect(response.statusCode == 200)
        #expect(data == Self.files["letter.txt"])
    }

    @Test(arguments: PythonServer.Version.allCases)
    func `a head alone has no body, and says how long it would be`(version: PythonServer.Version) async throws {
        let server = try await PythonServer(version, files: Self.files)
        var request = try Tern.URLRequest(string: server.url("/large.bin"))
        request.httpMethod = "HEAD"
        let (data, response) = try await Session().data(for: request)
        #expect(data.isEmpty)
        #expect(response.expectedContentLength == 3_000_000)
    }
}
