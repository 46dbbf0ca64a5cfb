// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernURLSession

// Tasks as the tests of programs make them, which are written for Swift 5.

class MockTask: URLSessionDataTask, @unchecked Sendable {
    private let closure: () -> Void

    init(closure: @escaping () -> Void) { self.closure = closure }

    override func resume() { closure() }

    override func cancel() {}
}

class MockUploadTask: URLSessionUploadTask, @unchecked Sendable {
    var resumeCount = 0

    override init() { super.init() }

    override func resume() { resumeCount += 1 }

    override func suspend() {}

    override var state: URLSessionTask.State { .running }
}

class MockDownloadTask: URLSessionDownloadTask, @unchecked Sendable {
    private let request: URLRequest

    init(request: URLRequest) { self.request = request }

    override var currentRequest: URLRequest? { request }

    override func resume() {}

    override func cancel(byProducingResumeData completionHandler: @escaping (Data?) -> Void) { completionHandler(nil) }
}

final class MockStreamTask: URLSessionStreamTask, @unchecked Sendable {}

protocol SessionProtocol {
    func task(with request: URLRequest, completionHandler: @escaping @Sendable (Data?, URLResponse?, Error?) -> Void)
        -> URLSessionDataTask
}

extension URLSession: SessionProtocol {
    func task(with request: URLRequest, completionHandler: @escaping @Sendable (Data?, URLResponse?, Error?) -> Void)
        -> URLSessionDataTask
    {
        dataTask(with: request, completionHandler: completionHandler)
    }
}

struct MockSession: SessionProtocol {
    func task(with request: URLRequest, completionHandler: @escaping @Sendable (Data?, URLResponse?, Error?) -> Void)
        -> URLSessionDataTask
    {
        MockTask {
            let response = HTTPURLResponse(url: request.url!, statusCode: 200, httpVersion: nil, headerFields: nil)
            completionHandler(Data(), response, nil)
        }
    }
}
