// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernAlamofire
import TernLock
import TernURLSessionNames
import TernTesting
import TestProofs
import Testing

/// What people write in their tests: a handler for each request.
private class Stub: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.host?.hasSuffix("stub.test") == true }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url, let client else { return }
        switch url.path {
        case "/redirect":
            var next = URLRequest(url: URL(string: "http://stub.test/property")!)
            URLProtocol.setProperty("noted", forKey: "key", in: &next)
            let response = HTTPURLResponse(
                url: url, statusCode: 302, httpVersion: nil, headerFields: ["Location": "/property"])!
            client.urlProtocol(self, wasRedirectedTo: next, redirectResponse: response)
        case "/property": answer(200, "\(URLProtocol.property(forKey: "key", in: request) ?? "nothing")")
        case "/status": answer(302, "here", ["Location": "http://stub.test/property"])
        case "/silent": break
        case "/task": answer(200, "\(task.map { $0.taskIdentifier > 0 } ?? false)")
        case "/error": client.urlProtocol(self, didFailWithError: StubError.ruin)
        case "/offline":
            client.urlProtocol(
                self, didFailWithError: NSError(domain: NSURLErrorDomain, code: NSURLErrorNotConnectedToInternet))
        case "/stored":
            let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)!
            client.urlProtocol(
                self, cachedResponseIsValid: CachedURLResponse(response: response, data: Data("stored".utf8)))
        case "/early":
            let response = HTTPURLResponse(
                url: URL(string: "http://stub.test/other")!, statusCode: 201, httpVersion: nil,
                headerFields: ["X-A": "a"])!
            client.urlProtocol(self, didLoad: Data("ear".utf8))
            client.urlProtocol(self, didLoad: Data("ly".utf8))
            client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client.urlProtocol(self, didLoad: Data(" late".utf8))
            client.urlProtocolDidFinishLoading(self)
        case "/bare":
            client.urlProtocol(self, didLoad: Data("bare".utf8))
            client.urlProtocolDidFinishLoading(self)
        default: answer(200, "\(request.httpMethod ?? "") \(request.httpBody.map { $0.count } ?? 0)")
        }
    }

    func answer(_ status: Int, _ text: String, _ fields: [String: String] = [:]) {
        let response = HTTPURLResponse(url: request.url!, statusCode: status, httpVersion: nil, headerFields: fields)!
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data(text.utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() { Self.stops.withLock { $0 += 1 } }

    static let stops = Lock(0)
}

private enum StubError: Error { case ruin }

private final class First: Stub {
    override func startLoading() { answer(200, "first") }
}

private final class Second: Stub {
    override class func canInit(with task: URLSessionTask) -> Bool {
        task.currentRequest?.value(forHTTPHeaderField: "X-Second") != nil
    }

    override func startLoading() { answer(200, "second") }
}

private final class Late: Stub {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.path == "/stub.test" }

    override func startLoading() { answer(200, "late") }
}

/// Fails with these errors, one after another.
private final class Failing: Stub {
    static let errors = Lock<[any Error]>([])

    override func startLoading() {
        guard let error = Self.errors.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
            return answer(200, "well")
        }
        client?.urlProtocol(self, didFailWithError: error)
    }
}

/// Overrides nothing.
private final class Plain: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
}

@Suite(.serialized) struct URLProtocolTests {
    private func session(_ classes: [AnyClass]?) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = classes
        return URLSession(configuration: configuration)
    }

    private func outcome(_ session: URLSession, _ request: URLRequest) async -> String {
        await withCheckedContinuation { continuation in
            session.dataTask(with: request) { data, response, error in
                let code = (error as? SessionError).map { "\($0.code.rawValue)" }
                let text = data.map { String(decoding: $0, as: UTF8.self) }
                let status = (response as? HTTPURLResponse).map { "\($0.statusCode)" }
                continuation.resume(returning: "\(status ?? "-") \(text ?? "-") \(code ?? "-")")
            }.resume()
        }
    }

    private func get(_ url: String) -> URLRequest { URLRequest(url: URL(string: url)!) }

    @Test(arguments: [
        ("/", "200 GET 0 -"), ("/redirect", "200 noted -"), ("/property", "200 nothing -"), ("/status", "302 here -"),
        ("/task", "200 true -"), ("/error", "- - -"), ("/offline", "- - -1009"), ("/stored", "200 stored -"),
        ("/early", "201 early late -"), ("/bare", "200 bare -"),
    ])
    func `a stub answers the requests of its session`(_ path: String, _ expected: String) async {
        #expect(await outcome(session([Stub.self]), get("http://stub.test\(path)")) == expected)
        #expect(await outcome(session([Stub.self]), get("mock://stub.test\(path)")) == expected)
    }

    @Test(
        arguments: [
            (URLError.networkConnectionLost, true), (.timedOut, true), (.notConnectedToInternet, true),
            (.cannotFindHost, true), (.dnsLookupFailed, true), (.cannotConnectToHost, true),
            (.serverCertificateUntrusted, false), (.cancelled, false), (.badURL, false),
        ] as [(URLError.Code, Bool)])
    func `a stub's error of the network is retried like one of the network`(_ code: URLError.Code, _ isRetried: Bool)
        async
    {
        for isFoundation in [true, false] {
            Failing.errors.withLock {
                let error: any Error =
                    isFoundation ? NSError(domain: NSURLErrorDomain, code: code.rawValue) : URLError(code)
                $0 = [error, error]
            }
            var request = get("http://stub.test/")
            request.retryPolicy = .standard
            request.retryPolicy?.backOff.base = .milliseconds(1)
            let expected = isRetried ? "200 well -" : "- - \(code.rawValue)"
            #expect(await outcome(session([Failing.self]), request) == expected)
        }
    }

    @Test func `a response has the URL and the fields that its class gives it`() async throws {
        let url = try #require(URL(string: "http://stub.test/early"))
        let (_, response) = try await session([Stub.self]).data(from: url)
        #expect(
            response.url?.path == "/other" && (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-A") == "a")
        let (_, plain) = try await session([Stub.self]).data(from: try #require(URL(string: "http://stub.test/bare")))
        #expect(plain.url?.path == "/bare")
    }

    @Test func `the content of an upload is that of the request`() async {
        var request = get("https://stub.test/")
        request.httpMethod = "PUT"
        let session = session([Stub.self])
        let text: String = await withCheckedContinuation { continuation in
            session.uploadTask(with: request, from: Data([1, 2, 3])) { data, _, _ in
                continuation.resume(returning: data.map { String(decoding: $0, as: UTF8.self) } ?? "-")
            }.resume()
        }
        #expect(text == "PUT 3")
    }

    @Test func `the first class that wants a request gets it`() async {
        let own = session([Second.self, First.self])
        var request = get("http://stub.test/")
        #expect(await outcome(own, request) == "200 first -")
        request.setValue("1", forHTTPHeaderField: "X-Second")
        #expect(await outcome(own, request) == "200 second -")
        #expect(await outcome(session([Plain.self]), request) == "- - -1002")
    }

    @Test func `registered classes answer all sessions, the last one first, behind those of its own`()
        async
    {
        let request = get("http://stub.test/")
        #expect(URLProtocol.registerClass(Stub.self))
        #expect(URLProtocol.registerClass(First.self))
        #expect(!URLProtocol.registerClass(NSObject.self))
        defer { for kind in [Stub.self, First.self] { URLProtocol.unregisterClass(kind) } }
        let later = URLSession(configuration: .default)
        #expect(URLSessionConfiguration.default.protocolClasses?.count == 2)
        #expect(await outcome(later, request) == "200 first -")
        #expect(await outcome(session([Stub.self]), request) == "200 GET 0 -")
        #expect(await outcome(session([]), request) == "200 first -")
        URLProtocol.unregisterClass(First.self)
        #expect(await outcome(later, request) == "200 GET 0 -")
    }

    @Test(.proves("14.4a"))
    func `a class that is registered after a session was made is asked, until it is not registered any more`()
        async
    {
        let request = get("http://127.0.0.1:1/stub.test")
        let plain = Session(configuration: SessionConfiguration())
        for session in [URLSession(configuration: .default), session([]), plain, SessionManager.default.session] {
            #expect(await outcome(session, request) == "- - -1004")
            #expect(URLProtocol.registerClass(Late.self))
            #expect(await outcome(session, request) == "200 late -")
            URLProtocol.unregisterClass(Late.self)
            #expect(await outcome(session, request) == "- - -1004")
        }
    }

    @Test func `classes are those that were set, and a copy has them`() throws {
        let configuration = URLSessionConfiguration.default
        #expect(configuration.protocolClasses?.isEmpty == true)
        configuration.protocolClasses?.insert(Stub.self, at: 0)
        let copy = try #require(configuration.copy() as? URLSessionConfiguration)
        #expect(copy.protocolClasses?.count == 1)
        configuration.protocolClasses = [NSObject.self]
        #expect(configuration.protocolClasses?.isEmpty == true && copy.protocolClasses?.count == 1)
    }

    @Test func `an instance is stopped once if its task is cancelled, and not if it has finished`() async {
        let before = Stub.stops.withLock { $0 }
        let session = session([Stub.self])
        #expect(await outcome(session, get("http://stub.test/")) == "200 GET 0 -")
        let code: Int? = await withCheckedContinuation { continuation in
            let task = session.dataTask(with: get("http://stub.test/silent")) { _, _, error in
                continuation.resume(returning: (error as? SessionError)?.code.rawValue)
            }
            task.resume()
            task.cancel()
            task.cancel()
        }
        #expect(code == NSURLErrorCancelled)
        var timed = get("http://stub.test/silent")
        timed.timeoutInterval = 0.02
        #expect(await outcome(session, timed) == "- - -1001")
        // The cancelled one may have been cancelled before it was started.
        while Stub.stops.withLock({ $0 }) == before { await Task.yield() }
        #expect(Stub.stops.withLock { $0 } <= before + 2)
    }

    @Test func `properties are noted about requests by reference and by value`() {
        let reference = NSMutableURLRequest(url: URL(string: "http://stub.test/")!)
        URLProtocol.setProperty(true, forKey: "key", in: reference)
        let value = reference as URLRequest
        #expect(URLProtocol.property(forKey: "key", in: value) as? Bool == true)
        let mutable = (value as NSURLRequest).mutableCopy() as? NSMutableURLRequest
        #expect(mutable.map { URLProtocol.property(forKey: "key", in: $0 as URLRequest) as? Bool } == true)
        URLProtocol.removeProperty(forKey: "key", in: reference)
        #expect(URLProtocol.property(forKey: "key", in: reference as URLRequest) == nil)
        #expect(URLProtocol.property(forKey: "key", in: value) != nil)
        reference.setValue("1", forHTTPHeaderField: "X-A")
        reference.httpMethod = "PUT"
        #expect((reference as URLRequest).allHTTPHeaderFields == ["X-A": "1"])
        #expect((reference as URLRequest).httpMethod == "PUT")
    }

    @Test(arguments: [
        ("data:,Hello%20World", "200 Hello World", "text/plain"),
        ("data:text/plain;charset=utf-8;base64,SGVsbG8=", "200 Hello", "text/plain;charset=utf-8"),
        ("DATA:text/html,%3Cb%3E#part", "200 <b>", "text/html"),
        ("data:;charset=utf-8,abc", "200 abc", "text/plain;charset=utf-8"),
        ("data:image/png;foo=bar,xx", "200 xx", "image/png;foo=bar"),
        ("data:text/plain;base64,SGVsbG8", "200 Hello", "text/plain"),
        ("data:text/plain;base64,%53GVsbG8%3D", "200 Hello", "text/plain"),
        ("data:,", "200 ", "text/plain"),
        ("data:;base64,!!!", "-1000", nil),
        ("data:nocomma", "-1000", nil),
        ("data:text/plain%0D%0AX-A:1,x", "-1000", nil),
    ])
    func `a data URL is what it contains`(_ text: String, _ expected: String, _ type: String?) async throws {
        let session = URLSession(configuration: .default)
        let request = URLRequest(url: try #require(URL(string: text)))
        let (outcome, found): (String, (any URLResponse)?) = await withCheckedContinuation { continuation in
            session.dataTask(with: request) { data, response, error in
                let text = data.map { String(decoding: $0, as: UTF8.self) } ?? ""
                let code = (error as? SessionError)?.code.rawValue
                continuation.resume(
                    returning: (response.map { _ in "200 \(text)" } ?? "\(code ?? 0)", response))
            }.resume()
        }
        #expect(outcome == expected)
        #expect(found?.mimeType == type.map { String($0.prefix { $0 != ";" }) } && !(found is HTTPURLResponse))
        if let found { #expect(found.expectedContentLength == Int64(expected.utf8.count - 4)) }
    }

    @Test func `a server does not redirect to a data URL`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.respond(status: 302, fields: [(name: "Location", value: "data:,secret")])]
        }
        let text = await outcome(
            URLSession(configuration: .default), URLRequest(url: URL(string: origin.url())!))
        #expect(!text.contains("secret"))
    }
}
