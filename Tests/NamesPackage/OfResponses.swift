// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernURLSession

// What programs write about responses, and the mocks of their tests.

enum Problem: Error {
    case status(Int)
    case none
}

extension URLResponse {
    var isOK: Bool { (self as? HTTPURLResponse).map { (200..<300).contains($0.statusCode) } ?? false }

    var isHTTP: Bool { self is HTTPURLResponse }
}

extension HTTPURLResponse {
    var isJSON: Bool { mimeType == "application/json" && isOK }
}

func castsOfResponses(_ session: URLSession, _ task: URLSessionTask, _ url: URL) async throws -> Data {
    let (data, response) = try await session.data(from: url)
    guard let http = response as? HTTPURLResponse, (200..<300).contains(http.statusCode) else {
        throw Problem.status((response as? HTTPURLResponse)?.statusCode ?? 0)
    }
    let status = (response as! HTTPURLResponse).statusCode
    if response is HTTPURLResponse, status == 200 { return data }
    if let fields = (response as? HTTPURLResponse)?.allHeaderFields as? [String: String], fields["Etag"] != nil {
        return data
    }
    for (name, value) in http.allHeaderFields {
        guard let name = name as? String, let value = value as? String else { continue }
        if name.lowercased() == "x-total", Int(value) != nil { return data }
    }
    let link = http.allHeaderFields["Link"] as? String
    _ = link as String?
    switch response {
    case let http as HTTPURLResponse where http.statusCode == 404: throw Problem.status(404)
    case is HTTPURLResponse: break
    default: throw Problem.none
    }
    guard let final = task.response as? HTTPURLResponse else { throw Problem.none }
    return final.isJSON && response.isOK && response.isHTTP ? data : Data()
}

func handlersOfResponses(_ session: URLSession, _ request: URLRequest, done: @escaping @Sendable (Int?) -> Void) {
    session.dataTask(with: request) { data, response, error in
        guard error == nil, data != nil, let response = response as? HTTPURLResponse else { return done(nil) }
        done(response.statusCode)
    }.resume()
    session.downloadTask(with: request) { (location: URL?, response: URLResponse?, error: Error?) in
        done((response as? HTTPURLResponse)?.statusCode)
    }.resume()
    let handler: @Sendable (Data?, URLResponse?, Error?) -> Void = { _, response, _ in
        if let response { done(Int(response.expectedContentLength)) }
    }
    session.dataTask(with: request, completionHandler: handler).resume()
}

func valuesOfResponses(_ url: URL) -> Bool {
    let http: URLResponse = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)!
    let plain = URLResponse(url: url, mimeType: "text/plain", expectedContentLength: 3, textEncodingName: "utf-8")
    let optional: URLResponse? = plain
    let responses: [URLResponse] = [http, plain]
    let byURL: [URL: URLResponse] = [url: http]
    let cached = CachedURLResponse(response: plain, data: Data())
    let same = cached.response == plain && http != plain && optional == plain && optional != nil
    let copied = plain.copy() as? URLResponse == plain && plain.isEqual(http) == false && plain.hash != 0
    return same && copied && responses.contains { $0 == http } && byURL[url] == http
        && String(describing: plain) != ""
}

final class ResponsesDelegate: NSObject, URLSessionDataDelegate {
    private let handler: @Sendable (URLResponse) -> Void

    init(handler: @escaping @Sendable (URLResponse) -> Void) { self.handler = handler }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        handler(response)
        completionHandler((response as? HTTPURLResponse)?.statusCode == 200 ? .allow : .cancel)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        if let response = metrics.transactionMetrics.last?.response as? HTTPURLResponse, response.isOK { return }
    }
}

protocol HTTPClient {
    func send(_ request: URLRequest, completion: @escaping (Data?, URLResponse?, Error?) -> Void)
}

struct MockClient: HTTPClient {
    let data: Data?
    let url: URL

    func send(_ request: URLRequest, completion: @escaping (Data?, URLResponse?, Error?) -> Void) {
        completion(data, HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil), nil)
        completion(data, HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)!, nil)
        completion(
            nil, URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil), Problem.none)
    }
}

class Stub: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        let url = request.url!
        let response: URLResponse = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)!
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}
