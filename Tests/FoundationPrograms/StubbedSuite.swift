// SPDX-License-Identifier: Apache-2.0
// A test suite whose stubs answer late, in parts, with errors and from another thread.
import Foundation
import FoundationNetworking

final class Stub: URLProtocol {
    enum Step {
        case response(Int, [String: String])
        case data(String)
        case failure(URLError.Code)
        case end
    }

    nonisolated(unsafe) static var steps: [Step] = []
    nonisolated(unsafe) static var stopped = 0
    private static let queue = DispatchQueue(label: "stub")

    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "stub" }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        let steps = Stub.steps
        Stub.queue.async {
            for step in steps { self.perform(step) }
        }
    }

    private func perform(_ step: Step) {
        switch step {
        case .response(let status, let fields):
            guard
                let url = request.url,
                let response = HTTPURLResponse(
                    url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
            else { return }
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        case .data(let text): client?.urlProtocol(self, didLoad: Data(text.utf8))
        case .failure(let code): client?.urlProtocol(self, didFailWithError: URLError(code))
        case .end: client?.urlProtocolDidFinishLoading(self)
        }
    }

    override func stopLoading() { Stub.stopped += 1 }
}

func test(_ name: String, _ steps: [Stub.Step], _ check: (Data?, HTTPURLResponse?, URLError?) -> String) {
    Stub.steps = steps
    let configuration = URLSessionConfiguration.default
    configuration.protocolClasses = [Stub.self]
    let session = URLSession(configuration: configuration)
    let finished = DispatchSemaphore(value: 0)
    var result: (Data?, URLResponse?, Error?)
    guard let url = URL(string: "stub://api.test/items?page=2") else { return }
    session.dataTask(with: url) {
        result = ($0, $1, $2)
        finished.signal()
    }.resume()
    finished.wait()
    print(name, check(result.0, result.1 as? HTTPURLResponse, result.2 as? URLError))
    session.invalidateAndCancel()
}

func describe(_ data: Data?, _ response: HTTPURLResponse?, _ error: URLError?) -> String {
    let text = data.map { String(decoding: $0, as: UTF8.self) } ?? "-"
    let fields = (response?.allHeaderFields ?? [:]).map { "\($0)=\($1)" }.sorted().joined(separator: ",")
    return "\(response?.statusCode ?? 0) [\(text)] {\(fields)} \(error?.code.rawValue ?? 0)"
}

test("whole", [.response(200, ["Content-Type": "text/plain", "X-A": "1"]), .data("items"), .end], describe)
test("no content", [.response(204, [:]), .end], describe)
test("server error", [.response(500, ["Retry-After": "1"]), .data("oops"), .end], describe)
test("failure", [.failure(.networkConnectionLost)], describe)
test("failure after data", [.response(200, [:]), .data("half"), .failure(.timedOut)]) { _, _, error in
    "\(error?.code.rawValue ?? 0)"
}
print("stopped", Stub.stopped)
