// SPDX-License-Identifier: Apache-2.0
#if HTTPTypes
    import FoundationEssentials
    import HTTPTypes
    import TernEngine
    import TernHTTPTypes
    import TernTesting
    import Testing

    @Suite(.timeLimit(.minutes(1))) struct HTTPTypesTests {
        @Test func `a request goes there and back with its order, its repeats, its case and its bytes`() throws {
            var request = try URLRequest(string: "https://example.com:8443/a/b?c=%20d&e")
            request.httpMethod = "PATCH"
            request.headers = ["X-b": "1", "Accept": "text/plain", "x-B": "2", "X-Key": "hush"]
            request.headers.append(HeaderField(name: "Latin", bytes: [0xE9, 0x20, 0xFF]))
            request.sensitiveFields = ["X-Key"]
            let converted = try HTTPRequest(request)
            #expect(converted.method == .patch && converted.scheme == "https")
            #expect(converted.authority == "example.com:8443" && converted.path == "/a/b?c=%20d&e")
            #expect(converted.headerFields.map(\.name.rawName) == ["X-b", "Accept", "x-B", "X-Key", "Latin"])
            let marked = converted.headerFields.filter { $0.indexingStrategy == .disallow }
            #expect(marked.map(\.name.rawName) == ["X-Key"])
            let back = try URLRequest(converted)
            #expect(back.url == request.url && back.httpMethod == "PATCH" && back.headers == request.headers)
            #expect(back.isSensitive(fieldNamed: "x-key") && !back.isSensitive(fieldNamed: "x-b"))
        }

        @Test func `a response goes there and back`() throws {
            let fields: HeaderFields = ["Set-Cookie": "a=1", "Date": "now", "set-cookie": "b=2"]
            let response = try HTTPURLResponse(url: nil, statusCode: 299, reasonPhrase: "Fine", headers: fields)
            let converted = try HTTPResponse(response)
            #expect(converted.status.code == 299 && converted.status.reasonPhrase == "Fine")
            #expect(converted.headerFields[values: .setCookie] == ["a=1", "b=2"])
            let back = try HTTPURLResponse(converted, url: nil)
            #expect(back.statusCode == 299 && back.reasonPhrase == "Fine" && Array(back.headers) == Array(fields))
        }

        @Test func `what has no counterpart is said`() throws {
            func refusal(_ change: (inout HTTPRequest) -> Void) -> HTTPTypesError? {
                var request = HTTPRequest(method: .get, scheme: "https", authority: "example.com", path: "/")
                change(&request)
                let converted = Result { () throws(HTTPTypesError) in try TernEngine.URLRequest(request) }
                if case .failure(let error) = converted { return error }
                return nil
            }
            #expect(refusal { _ in } == nil)
            #expect(refusal { $0.scheme = "ftp" } == .scheme("ftp"))
            #expect(refusal { $0.scheme = nil } == .scheme(nil))
            #expect(refusal { $0.authority = nil } == .authority(nil))
            #expect(refusal { $0.authority = "ada@example.com" } == .authority("ada@example.com"))
            #expect(refusal { $0.path = "a" } == .path("a"))
            #expect(refusal { $0.path = "/a#b" } == .path("/a#b"))
            #expect(refusal { $0.method = .connect } == .connect(protocol: nil))
            #expect(
                refusal {
                    $0.method = .options; $0.path = "*"
                } == nil)
            #expect(throws: HTTPTypesError.fieldName("a b")) { try HTTPFields(["a b": "c"]) }
            #expect(throws: HTTPTypesError.fieldValue(name: "a")) { try HTTPFields(["a": "b\nc"]) }
            #expect(throws: HTTPTypesError.status(42)) {
                try HTTPURLResponse(HTTPResponse(status: .init(code: 42)), url: nil)
            }
        }

        @Test func `a session sends a request with a body, and returns the response`() async throws {
            let origin = try ScriptedOrigin { _, request in
                [.respond(status: 201, reason: "Made", fields: [("X-A", "1"), ("X-A", "2")], body: request.bodyText)]
            }
            let session = Session()
            var request = HTTPRequest(
                method: .post, scheme: "http", authority: "127.0.0.1:\(origin.port)", path: "/things?a=b")
            request.headerFields.append(HTTPField(name: .accept, value: "text/plain"))
            let (data, response) = try await session.data(for: request, body: .data(.init("hello".utf8)))
            #expect(String(decoding: data, as: UTF8.self) == "hello")
            #expect(response.status.code == 201 && response.headerFields[values: HTTPField.Name("x-a")!] == ["1", "2"])
            let sent = try #require(origin.requests.first)
            #expect(sent.method == "POST" && sent.target == "/things?a=b" && sent.bodyText == "hello")
            let (_, second) = try await session.data(
                for: HTTPRequest(
                    method: .options, scheme: "http", authority: "127.0.0.1:\(origin.port)", path: "*"))
            #expect(second.status.code == 201 && origin.requests.last?.target == "*")
        }
    }
#endif
