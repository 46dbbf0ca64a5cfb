// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernAlamofire
import TernTesting
import TestProofs
import Testing

enum BackendError: Error {
    case network(error: Error)
    case dataSerialization(error: Error)
    case objectSerialization(reason: String)
}

protocol ResponseObjectSerializable {
    init?(response: HTTPURLResponse, representation: Any)
}

extension DataRequest {
    func responseObject<T: ResponseObjectSerializable>(
        queue: DispatchQueue? = nil, completionHandler: @escaping (DataResponse<T>) -> Void
    ) -> Self {
        let responseSerializer = DataResponseSerializer<T> { request, response, data, error in
            guard error == nil else { return .failure(BackendError.network(error: error!)) }

            let result = DataRequest.jsonResponseSerializer(options: .allowFragments)
                .serializeResponse(request, response, data, nil)
            guard case let .success(jsonObject) = result else {
                return .failure(BackendError.dataSerialization(error: result.error!))
            }
            guard let response = response, let responseObject = T(response: response, representation: jsonObject) else {
                return .failure(BackendError.objectSerialization(reason: "JSON could not be serialized: \(jsonObject)"))
            }
            return .success(responseObject)
        }
        return response(queue: queue, responseSerializer: responseSerializer, completionHandler: completionHandler)
    }

    static func linesSerializer() -> DataResponseSerializer<[String]> {
        return DataResponseSerializer { _, response, data, error in
            guard error == nil else { return .failure(error!) }
            let result = Request.serializeResponseString(encoding: nil, response: response, data: data, error: nil)
            guard case let .success(text) = result else { return .failure(result.error as! AFError) }
            return .success(text.components(separatedBy: "\n"))
        }
    }
}

/// Serializers that leave it to the compiler what they make.
struct WordCount: DataResponseSerializerProtocol {
    var serializeResponse: (URLRequest?, HTTPURLResponse?, Data?, Error?) -> Result<Int> {
        return { _, _, data, error in
            guard error == nil else { return .failure(error!) }
            return .success(String(decoding: data ?? Data(), as: UTF8.self).split(separator: " ").count)
        }
    }
}

struct FileName: DownloadResponseSerializerProtocol {
    let serializeResponse: (URLRequest?, HTTPURLResponse?, URL?, Error?) -> Result<String> = { _, _, file, error in
        guard let file = file else { return .failure(error!) }
        return .success(file.lastPathComponent)
    }
}

struct User: ResponseObjectSerializable, CustomStringConvertible, Decodable {
    let username: String
    let name: String

    var description: String {
        return "User: { username: \(username), name: \(name) }"
    }

    init?(response: HTTPURLResponse, representation: Any) {
        guard
            let username = response.url?.lastPathComponent,
            let representation = representation as? [String: Any],
            let name = representation["name"] as? String
        else { return nil }

        self.username = username
        self.name = name
    }
}

@Suite struct CustomResponses {
    private let origin: ScriptedOrigin

    init() throws {
        origin = try ScriptedOrigin { _, _ in [.ok(#"{"username": "x", "name": "Mattt"}"#)] }
    }

    @Test(.proves("8.5a")) func `objects made of JSON`() async {
        let origin = origin
        let user: User? = await withCheckedContinuation { continuation in
            _ = Alamofire.request(origin.url("/users/mattt")).responseObject { (response: DataResponse<User>) in
                debugPrint(response)
                if let user = response.result.value {
                    print("User: { username: \(user.username), name: \(user.name) }")
                }
                continuation.resume(returning: response.value)
            }
        }
        #expect(user?.description == "User: { username: mattt, name: Mattt }")
    }

    @Test(.proves("8.7a")) func `objects made of data, mapped or decoded`() async {
        let origin = origin
        let mapped: DataResponse<String> = await withCheckedContinuation { continuation in
            Alamofire.request(origin.url()).responseData { response in
                let decoded: DataResponse<User> = response.flatMap { try JSONDecoder().decode(User.self, from: $0) }
                continuation.resume(returning: decoded.map { $0.name }.mapError { BackendError.network(error: $0) })
            }
        }
        #expect(mapped.value == "Mattt")
        let lines: [String]? = await withCheckedContinuation { continuation in
            Alamofire.request(origin.url()).response(responseSerializer: DataRequest.linesSerializer()) {
                continuation.resume(returning: $0.value)
            }
        }
        #expect(lines?.count == 1)
    }

    private func parse(_ text: String) -> Result<Int> {
        guard let number = Int(text) else { return .failure(BackendError.objectSerialization(reason: text)) }
        return .success(number)
    }

    @Test(.proves("8.1a", "8.1c")) func `results of one parameter`() throws {
        let good: Result<Int> = parse("1")
        let bad = parse("x")
        #expect(good.isSuccess && bad.isFailure && good.value == 1 && bad.error is BackendError)
        #expect(try good.unwrap() == 1)
        #expect(good.map { "\($0)" }.value == "1")
        #expect(good.flatMap { try JSONDecoder().decode(Int.self, from: Data("\($0)".utf8)) }.value == 1)
        let remapped: Result<Int> = bad.mapError { BackendError.network(error: $0) }
        #expect(remapped.error is BackendError)
        #expect(bad.flatMapError { BackendError.network(error: $0) }.error is BackendError)
        var seen: [String] = []
        good.withValue { seen.append("\($0)") }.withError { seen.append("\($0)") }
        bad.ifSuccess { seen.append("success") }.ifFailure { seen.append("failure") }
        #expect(seen == ["1", "failure"])
        #expect(good.description == "SUCCESS" && good.debugDescription == "SUCCESS: 1")
        let swift: Swift.Result<Int, BackendError> = .success(1)
        #expect(swift.value == 1)
    }

    @Test func `responses of one's own making`() throws {
        let url = try #require(URL(string: "https://example.com/users/mattt"))
        let response = HTTPURLResponse(
            url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: ["Content-Type": "application/json"])
        let made = DataResponse(
            request: URLRequest(url: url), response: response, data: nil, result: Result<Int>.success(1))
        #expect(made.response?.statusCode == 200 && made.response?.mimeType == "application/json")
        #expect(response?.allHeaderFields["Content-Type"] == "application/json")
    }

    @Test(.proves("8.5b")) func `a serializer need not name the type of its result`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("three small words")] }
        let count: Int? = await withCheckedContinuation { continuation in
            Alamofire.request(origin.url()).response(responseSerializer: WordCount()) {
                continuation.resume(returning: $0.result.value)
            }
        }
        #expect(count == 3)
        let response: DownloadResponse<String> = await withCheckedContinuation { continuation in
            Alamofire.download(origin.url()).response(responseSerializer: FileName()) {
                continuation.resume(returning: $0)
            }
        }
        #expect(response.result.value == response.temporaryURL?.lastPathComponent)
        if let file = response.temporaryURL { try? FileManager.default.removeItem(at: file) }
    }
}
