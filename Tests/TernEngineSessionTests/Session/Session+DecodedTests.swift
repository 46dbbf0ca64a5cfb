// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct SessionDecodedTests {
    private struct Bird: Codable, Equatable, Sendable {
        var name: String
        var count = 1
    }

    private static func failure(
        _ session: Session, _ request: URLRequest, _ delegate: (any SessionTaskDelegate)? = nil
    ) async -> SessionError? {
        do throws(SessionError) {
            let bird: Bird = try await session.decoded(for: request, delegate: delegate)
            Issue.record("\(bird)")
            return nil
        } catch {
            return error
        }
    }

    @Test func `a value is sent and received as JSON`() async throws {
        let origin = try ScriptedOrigin { _, request in
            [
                .respond(
                    status: 201,
                    body:
                        "[\"\(request.method)\",\"\(request.fields.first { $0.name == "Content-Type" }?.value ?? "")\",\"\(request.fields.first { $0.name == "Accept" }?.value ?? "")\"]"
                )
            ]
        }
        let session = Session.limited()
        let bird = Bird(name: "tern")
        for (request, method) in [
            (try URLRequest.post(origin.url(), json: bird), "POST"), (try .put(origin.url(), json: bird), "PUT"),
            (try .patch(origin.url(), json: bird), "PATCH"),
        ] {
            let answer = try await session.decoded([String].self, for: request)
            #expect(answer == [method, "application/json", "application/json"])
            #expect(try request.httpBody?.decoded(as: Bird.self) == bird)
        }
        let get = try await session.decoded([String].self, from: try #require(URL(string: origin.url())))
        #expect(get == ["GET", "", "application/json"])
    }

    @Test func `fields that the request has are kept`() async throws {
        let origin = try ScriptedOrigin { _, request in
            [.ok("[\(request.fields.filter { $0.value.contains("+json") }.count)]")]
        }
        var request = try URLRequest(origin)
        request.setValue("application/hal+json", forHTTPHeaderField: "Accept")
        request.setValue("application/merge-patch+json", forHTTPHeaderField: "Content-Type")
        request.httpMethod = "PATCH"
        try request.setJSON(Bird(name: "tern"))
        #expect(request.httpMethod == "PATCH")
        #expect(try await Session.limited().decoded([Int].self, for: request) == [2])
    }

    @Test(arguments: [400, 404, 500, 304, 301])
    func `a status that is no success is an error with the URL and the beginning of the body`(status: Int) async throws
    {
        let body = "{\"reason\":\n\"no terns\u{1b}\"}" + String(repeating: "x", count: 100_000)
        let origin = try ScriptedOrigin { _, _ in [.respond(status: status, body: status == 304 ? "" : body)] }
        let error = try #require(await Self.failure(.limited(), URLRequest(origin, "/birds?key=secret")))
        guard case .response(.unsuccessful(let response, let content)) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(response.statusCode == status)
        #expect(error.reason.kind == .httpStatus)
        #expect(error.origin?.port == origin.port)
        #expect(content.count == (status == 304 ? 0 : SessionError.ResponseFailure.maximumContentLength))
        #expect(error.refusedResponse?.response.url?.absoluteString == origin.url("/birds?key=secret"))
        let beginning = status == 304 ? "" : ": {\"reason\": \"no terns \"}x"
        #expect("\(error)".hasPrefix("the server answered \(status) for \(origin.url("/birds"))\(beginning)"))
        #expect(!"\(error)".contains("secret"))
        #expect("\(error)".utf8.count < 400)
    }

    @Test(arguments: [
        (200, "", "", "is empty"), (204, "", "", "is empty"),
        (200, "{\"name\":1}", "application/json", "cannot be decoded"),
        (200, "{", "application/json", "cannot be decoded"),
        (200, "<html>", "text/html; charset=utf-8", "text/html, cannot"),
        (200, "\u{feff}{}", "", "cannot be decoded"),
    ])
    func `a body that is no such value is an error that says why`(
        status: Int, body: String, type: String, sentence: String
    ) async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.respond(status: status, fields: type.isEmpty ? [] : [("Content-Type", type)], body: body)]
        }
        let error = try #require(await Self.failure(.limited(), URLRequest(origin)))
        guard case .response(.undecodable(let response, let content, let cause)) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(cause is DecodingError)
        #expect(response.statusCode == status)
        #expect(String(decoding: content, as: UTF8.self) == body)
        #expect(error.reason.kind == .valueUndecodable)
        #expect("\(error)".contains(sentence))
    }

    @Test func `a body without end is given up at the session's limit`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\n\r\n["), .repeat(Array("1,".utf8), count: 1 << 29)]
        }
        var configuration = SessionConfiguration.default
        configuration.maximumCollectedBodySize = 1 << 20
        let error = await Self.failure(Session(configuration: configuration), try URLRequest(origin))
        #expect(error?.reason.kind == .bodyTooLarge)
    }

    @Test func `a success is one, whatever its body`() throws {
        for status in [200, 201, 204, 299] {
            let response = try #require(
                HTTPURLResponse(
                    url: URL(filePath: "/"), statusCode: status, httpVersion: nil, headerFields: nil))
            try response.requireSuccess()
        }
        for status in [199, 300, 999] {
            let response = try #require(
                HTTPURLResponse(
                    url: URL(filePath: "/"), statusCode: status, httpVersion: nil, headerFields: nil))
            #expect(throws: SessionError.self) { try response.requireSuccess(Data("why".utf8)) }
        }
    }
}
