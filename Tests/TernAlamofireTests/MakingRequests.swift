// SPDX-License-Identifier: Apache-2.0
// As a file of an app: Foundation and the client, and nothing of Swift 6.
import Foundation
import TernAlamofire
import TernTesting
import TestProofs
import Testing

/// Call sites as apps have them that were written for Alamofire 4. That they compile is half of each test.
@Suite struct MakingRequests {
    private let origin: ScriptedOrigin

    init() throws {
        origin = try ScriptedOrigin { _, request in
            [.respond(fields: [(name: "Content-Type", value: "application/json")], body: #"{"id": 7, "ok": true}"#)]
        }
    }

    @Test func `a request with a handler for JSON`() async throws {
        let origin = origin
        let json: [String: Any]? = await withCheckedContinuation { continuation in
            Alamofire.request(origin.url("/get")).responseJSON { response in
                print("Request: \(String(describing: response.request))")
                print("Response: \(String(describing: response.response))")
                print("Result: \(response.result)")

                if let json = response.result.value {
                    print("JSON: \(json)")
                }
                if let data = response.data, let utf8Text = String(data: data, encoding: .utf8) {
                    print("Data: \(utf8Text)")
                }
                continuation.resume(returning: response.result.value as? [String: Any])
            }
        }
        #expect(json?["id"] as? Int == 7)
    }

    @Test(.proves("4.10a", "11.6a")) func `handlers in a row`() async throws {
        let origin = origin
        let order: String = await withCheckedContinuation { continuation in
            var order = ""
            let queue = DispatchQueue(label: "handlers")
            Alamofire.request(origin.url("/get"))
                .validate(statusCode: 200..<300)
                .validate(contentType: ["application/json"])
                .response(queue: queue) { response in
                    order += response.error == nil ? "raw," : "error,"
                }
                .responseData(queue: queue) { response in
                    order += "\(response.data?.count ?? 0),"
                }
                .responseString(queue: queue) { response in
                    order += response.result.isSuccess ? "text," : "none,"
                }
                .responseJSON(queue: queue) { response in
                    switch response.result {
                    case .success:
                        order += "json"
                    case .failure(let error):
                        order += "\(error)"
                    }
                    continuation.resume(returning: order)
                }
        }
        #expect(order == "raw,21,text,json")
    }

    @Test func `methods, parameters, encodings and header fields`() async throws {
        let origin = origin
        let parameters: Parameters = ["foo": [1, 2, 3], "bar": ["baz": "qux"], "yes": true]
        let headers: HTTPHeaders = ["Authorization": "Basic QWxhZGRpbg==", "Accept": "application/json"]
        let encodings: [ParameterEncoding] = [
            URLEncoding(destination: .queryString), URLEncoding(arrayEncoding: .noBrackets, boolEncoding: .literal),
            JSONEncoding.default, JSONEncoding(options: []), PropertyListEncoding.default,
            PropertyListEncoding(format: .xml, options: 0),
        ]
        for encoding in encodings {
            let error: Error? = await withCheckedContinuation { continuation in
                Alamofire.request(
                    origin.url("/post"), method: .post, parameters: parameters, encoding: encoding, headers: headers
                ).response { continuation.resume(returning: $0.error) }
            }
            #expect(error == nil)
        }
        let sent = origin.requests
        #expect(sent[0].target.contains("yes=1") && sent[0].body.isEmpty)
        #expect(String(decoding: sent[1].body, as: UTF8.self).contains("foo=1&foo=2&foo=3&yes=true"))
        #expect(sent[4].value(of: "Content-Type") == "application/x-plist")
        #expect(sent.allSatisfy { $0.value(of: "Authorization") == "Basic QWxhZGRpbg==" && $0.method == "POST" })
    }

    @Test func `a request made by hand`() async throws {
        let origin = origin
        var urlRequest = URLRequest(url: try origin.url("/post").asURL())
        urlRequest.httpMethod = "POST"
        urlRequest.setValue("application/json", forHTTPHeaderField: "Content-Type")
        do {
            urlRequest.httpBody = try JSONSerialization.data(withJSONObject: ["foo": "bar"], options: [])
        } catch {
            // No-op
        }
        let request = urlRequest
        let status: Int? = await withCheckedContinuation { continuation in
            Alamofire.request(request).responseJSON { continuation.resume(returning: $0.response?.statusCode) }
        }
        #expect(status == 200)
        #expect(origin.requests.first?.body == Array(#"{"foo":"bar"}"#.utf8))
    }

    @Test(.proves("4.16a")) func `a request as a command for a shell`() {
        let manager = SessionManager(configuration: .default)
        manager.startRequestsImmediately = false
        let request = manager.request("https://httpbin.org/get", parameters: ["foo": "bar"])
        print(request)
        debugPrint(request)
        #expect(request.description == "GET https://httpbin.org/get?foo=bar")
        #expect(request.debugDescription.hasPrefix("$ curl -v"))
    }

    @Test(.proves("8.2b", "8.13d")) func `times`() async {
        let origin = origin
        let timeline: Timeline = await withCheckedContinuation { continuation in
            Alamofire.request(origin.url()).responseJSON { continuation.resume(returning: $0.timeline) }
        }
        let start: CFAbsoluteTime = timeline.requestStartTime
        #expect(start > 0 && start <= CFAbsoluteTimeGetCurrent())
        #expect(timeline.totalDuration >= timeline.latency)
        #expect(timeline.description.hasPrefix("Timeline: { \"Latency\": "))
    }
}
