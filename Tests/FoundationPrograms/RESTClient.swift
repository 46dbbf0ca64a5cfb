// SPDX-License-Identifier: Apache-2.0
// A REST client with a delegate of its session, and its tests, which stub the network with a protocol class.
import Foundation
import FoundationNetworking

struct User: Codable, Equatable {
    var id = 0
    var name: String
}

struct ServerError: Error, Decodable { let message: String }

final class Client: NSObject, URLSessionDataDelegate {
    private var session = URLSession.shared
    private let base: URL

    init(base: URL, configuration: URLSessionConfiguration) {
        self.base = base
        super.init()
        configuration.httpAdditionalHeaders = ["Accept": "application/json"]
        configuration.timeoutIntervalForRequest = 10
        session = URLSession(configuration: configuration, delegate: self, delegateQueue: .main)
    }

    func user(_ id: Int) async throws -> User {
        try await decode(session.data(from: base.appendingPathComponent("users/\(id)")))
    }

    func create(_ name: String) async throws -> User {
        var request = URLRequest(url: base.appendingPathComponent("users"))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        return try await decode(session.upload(for: request, from: JSONEncoder().encode(["name": name])))
    }

    func redirect() async throws -> Int {
        let (_, response) = try await session.data(from: base.appendingPathComponent("moved"))
        return (response as? HTTPURLResponse)?.statusCode ?? -1
    }

    private func decode<T: Decodable>(_ result: (Data, URLResponse)) throws -> T {
        guard let response = result.1 as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        guard (200..<300).contains(response.statusCode) else {
            throw try JSONDecoder().decode(ServerError.self, from: result.0)
        }
        return try JSONDecoder().decode(T.self, from: result.0)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        print("redirect", response.statusCode, request.url?.path ?? "-", request.httpMethod ?? "-")
        completionHandler(nil)
    }
}

final class Stub: URLProtocol {
    nonisolated(unsafe) static var answer: (URLRequest) throws -> (Int, String) = { _ in (200, "") }
    nonisolated(unsafe) static var requests: [String] = []

    override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "api.test" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        Stub.requests.append("\(request.httpMethod ?? "-") \(request.url?.path ?? "-")")
        do {
            let (status, text) = try Stub.answer(request)
            guard
                let url = request.url,
                let response = HTTPURLResponse(
                    url: url, statusCode: status, httpVersion: "HTTP/1.1",
                    headerFields: ["Content-Type": "application/json"])
            else { throw URLError(.badURL) }
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: Data(text.utf8))
            client?.urlProtocolDidFinishLoading(self)
        } catch {
            client?.urlProtocol(self, didFailWithError: error)
        }
    }

    override func stopLoading() {}
}

@main struct Program {
    static func attempt(_ name: String, _ call: () async throws -> String) async {
        do {
            print(name, try await call())
        } catch let error as ServerError {
            print(name, "refused:", error.message)
        } catch let error as URLError {
            print(name, "failed:", error.code.rawValue)
        } catch {
            print(name, "failed:", type(of: error))
        }
    }

    static func main() async {
        guard let real = URL(string: "http://127.0.0.1:8080"), let stubbed = URL(string: "http://api.test") else {
            return
        }
        let client = Client(base: real, configuration: .default)
        await attempt("user") { try await client.user(7).name }
        await attempt("no user") { try await client.user(8).name }
        await attempt("new user") { try await client.create("Grace").name }
        await attempt("redirect") { try await "\(client.redirect())" }

        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Stub.self]
        let tested = Client(base: stubbed, configuration: configuration)
        Stub.answer = { _ in (200, #"{"id": 3, "name": "Linus"}"#) }
        await attempt("stubbed user") { try await tested.user(3).name }
        Stub.answer = { _ in (404, #"{"message": "nobody"}"#) }
        await attempt("stubbed no user") { try await tested.user(4).name }
        Stub.answer = { _ in (200, "no JSON") }
        await attempt("stubbed text") { try await tested.user(5).name }
        Stub.answer = { _ in throw URLError(.notConnectedToInternet) }
        await attempt("stubbed failure") { try await tested.user(6).name }
        print(Stub.requests)
    }
}
