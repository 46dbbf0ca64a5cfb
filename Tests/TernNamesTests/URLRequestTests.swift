// SPDX-License-Identifier: Apache-2.0
// What FoundationNetworking prints stands here as the expected values.
import Foundation
import TernAlamofire
import TernURLSessionNames
import TernTesting
import Testing

@Suite struct URLRequestTests {
    private let url: URL
    private var request: URLRequest

    init() throws {
        url = try #require(URL(string: "http://example.com/a/b.txt?q=1"))
        request = URLRequest(url: url)
    }

    @Test func `Postman's snippet compiles`() {
        var request = URLRequest(url: URL(string: "http://example.com/")!, timeoutInterval: Double.infinity)
        request.addValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpMethod = "POST"
        #expect(request.timeoutInterval == .infinity && request.httpMethod == "POST")
        #expect(URLRequest(url: url, cachePolicy: .returnCacheDataDontLoad).timeoutInterval == 60)
    }

    @Test mutating func `values that are added are joined, and a field keeps its spelling`() {
        request.addValue("1", forHTTPHeaderField: "X-A")
        request.addValue("2", forHTTPHeaderField: "x-a")
        #expect(request.allHTTPHeaderFields == ["X-A": "1,2"])
        request.setValue("x", forHTTPHeaderField: "X-a")
        #expect(request.allHTTPHeaderFields == ["X-A": "x"] && request.value(forHTTPHeaderField: "x-A") == "x")
        request.setValue(nil, forHTTPHeaderField: "x-A")
        #expect(request.allHTTPHeaderFields == nil)
        request.setValue("1", forHTTPHeaderField: "accept")
        request.addValue("2", forHTTPHeaderField: "ACCEPT")
        #expect(request.allHTTPHeaderFields == ["Accept": "1,2"])
    }

    @Test func `a relative URL is kept as the whole`() throws {
        let base = URL(string: "http://a.test/b/")
        var request = URLRequest(url: try #require(URL(string: "c?d", relativeTo: base)))
        #expect(request.url?.relativeString == "http://a.test/b/c?d" && request.url?.baseURL == nil)
        request.url = URL(string: "/e", relativeTo: base)
        #expect(request.url == URL(string: "http://a.test/e"))
    }

    @Test mutating func `what has no effect is kept`() {
        #expect(request.mainDocumentURL == nil && request.networkServiceType == .default)
        #expect(request.allowsCellularAccess && request.allowsExpensiveNetworkAccess)
        #expect(request.allowsConstrainedNetworkAccess && request.httpShouldUsePipelining)
        #expect(!request.assumesHTTP3Capable && request.attribution == .developer)
        request.mainDocumentURL = url
        request.networkServiceType = .video
        request.allowsCellularAccess = false
        request.allowsExpensiveNetworkAccess = false
        request.allowsConstrainedNetworkAccess = false
        request.httpShouldUsePipelining = false
        request.assumesHTTP3Capable = true
        request.attribution = .user
        request.requiresDNSSECValidation = true
        let copy = request
        #expect(copy.mainDocumentURL == url && copy.networkServiceType == .video && !copy.allowsCellularAccess)
        #expect(!copy.allowsExpensiveNetworkAccess && !copy.allowsConstrainedNetworkAccess)
        #expect(!copy.httpShouldUsePipelining && copy.assumesHTTP3Capable && copy.attribution == .user)
        #expect(copy.requiresDNSSECValidation)
        request.credential = PasswordCredential(user: "u", password: "p")
        request.maximumBytesPerSecond = 7
        #expect(request.mainDocumentURL == url && request.credential?.user == "u")
        #expect(request.maximumBytesPerSecond == 7 && copy.credential == nil)
    }

    @Test func `requests are equal if all that they say is`() {
        #expect(request == URLRequest(url: url) && Set([request, URLRequest(url: url)]).count == 1)
        let changes: [(inout URLRequest) -> Void] = [
            { $0.setValue("1", forHTTPHeaderField: "a") }, { $0.cachePolicy = .reloadIgnoringCacheData },
            { $0.mainDocumentURL = url }, { $0.allowsCellularAccess = false }, { $0.httpShouldHandleCookies = false },
            { $0.httpMethod = "POST" }, { $0.httpBody = Data([1]) }, { $0.timeoutInterval = 3 },
            { $0.httpBodyStream = InputStream(data: Data()) },
        ]
        for (index, change) in changes.enumerated() {
            var other = request
            change(&other)
            #expect(other != request, "\(index)")
            #expect(other == other)
        }
    }

    @Test mutating func `a body is data or a stream`() {
        let stream = InputStream(data: Data([2]))
        request.httpBody = Data([1])
        request.httpBodyStream = stream
        #expect(request.httpBody == nil && request.httpBodyStream === stream)
        request.httpBody = Data([1])
        #expect(request.httpBody == Data([1]) && request.httpBodyStream == nil)
        request.httpBodyStream = nil
        #expect(request.httpBody == Data([1]))
        request.httpBodyStream = stream
        request.httpBodyStream = nil
        #expect(request.httpBodyStream == nil && request.body == nil)
    }

    @Test func `a request is an object, too`() throws {
        let object = NSMutableURLRequest(url: url)
        object.httpMethod = "PUT"
        object.setValue("1", forHTTPHeaderField: "X-A")
        object.addValue("2", forHTTPHeaderField: "x-a")
        #expect(object.allHTTPHeaderFields == ["X-A": "1,2"] && (object as URLRequest).httpMethod == "PUT")
        let copy = try #require(object.copy() as? NSURLRequest)
        #expect(copy.httpMethod == "PUT" && copy.isEqual(object) && copy.hash == object.hash)
        object.httpMethod = nil
        #expect(copy.httpMethod == "PUT" && object.httpMethod == "GET" && !copy.isEqual(object))
        #expect((copy.mutableCopy() as? NSMutableURLRequest)?.value(forHTTPHeaderField: "x-A") == "1,2")
        #expect((request as NSURLRequest).url == url)
        let policy = NSURLRequest.CachePolicy.reloadIgnoringLocalCacheData
        #expect(NSURLRequest(url: url, cachePolicy: policy, timeoutInterval: 7).timeoutInterval == 7)
    }

    /// The type, and the content, that the server gets.
    private func sent(
        follows: Bool = true, fields: [AnyHashable: Any]? = nil, upload: Data? = nil,
        _ change: (inout URLRequest) -> Void
    ) async throws -> String {
        let origin = try ScriptedOrigin { _, request in
            [.ok("\(request.value(of: "Content-Type") ?? "-") \(String(decoding: request.body, as: UTF8.self))")]
        }
        let configuration = URLSessionConfiguration.ephemeral
        if let fields { configuration.httpAdditionalHeaders = fields }
        var request = URLRequest(url: try origin.url().asURL())
        request.httpMethod = "POST"
        change(&request)
        let session =
            follows ? URLSession(configuration: configuration) : Session(configuration: configuration.value)
        let (data, _) =
            if let upload { try await session.upload(for: request, from: .data(upload)) } else {
                try await session.data(for: request)
            }
        return String(decoding: data, as: UTF8.self)
    }

    @Test func `a POST with content of its own says that it is a form, as in URLSession`() async throws {
        let form = "application/x-www-form-urlencoded"
        let body = Data("a=1".utf8)
        #expect(try await sent { $0.httpBody = body } == "\(form) a=1")
        #expect(try await sent { $0.httpBodyStream = InputStream(data: body) } == "\(form) a=1")
        for method in ["PUT", "PATCH", "DELETE"] {
            #expect(
                try await sent {
                    $0.httpBody = body
                    $0.httpMethod = method
                } == "- a=1")
        }
        #expect(try await sent { $0.httpBody = Data() } == "- ")
        #expect(try await sent { _ in } == "- ")
        #expect(
            try await sent {
                $0.httpBody = body
                $0.setValue("text/x", forHTTPHeaderField: "content-type")
            } == "text/x a=1")
        #expect(try await sent(fields: ["Content-Type": "text/y"]) { $0.httpBody = body } == "text/y a=1")
        #expect(try await sent(upload: body) { _ in } == "- a=1")
        #expect(try await sent(follows: false) { $0.httpBody = body } == "- a=1")
    }

    @Test func `a request object is archived`() throws {
        let request = NSMutableURLRequest(
            url: try #require(URL(string: "http://a.test/b")), cachePolicy: .returnCacheDataElseLoad, timeoutInterval: 7
        )
        request.httpMethod = "POST"
        request.setValue("1", forHTTPHeaderField: "X-A")
        request.httpBody = Data([1, 2])
        request.httpShouldHandleCookies = false
        let archive = try NSKeyedArchiver.archivedData(withRootObject: request, requiringSecureCoding: true)
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSMutableURLRequest.self, from: archive)
        let copy = try #require(read)
        #expect(copy.isEqual(request) && copy.httpBody == Data([1, 2]) && copy.timeoutInterval == 7)
        #expect(copy.value(forHTTPHeaderField: "X-A") == "1" && copy.cachePolicy == .returnCacheDataElseLoad)
        #expect(copy.description.hasPrefix("<NSMutableURLRequest> {"))
    }
}
