// SPDX-License-Identifier: Apache-2.0
import Foundation
import Library
import TernURLSession

struct Failure: Error {
    let cause: any Error
}

func namesOfTheLibrary() {
    let session = Session()
    _ = session as Library.Session
    _ = Request(1) as Library.Request<Int>
    _ = Proxy() as Library.Proxy
    _ = Credential() as Library.Credential
    _ = Challenge() as Library.Challenge
    _ = HTTPMethod.brew as Library.HTTPMethod
    _ = [1] as Parameters
    _ = request(1) as Int
}

func namesOfTheStandardLibrary(_ result: Result<Int, any Error>) {
    let mapped = result.mapError { Failure(cause: $0) }
    _ = mapped as Swift.Result<Int, Failure>
}

final class OldDelegate: NSObject, URLSessionDataDelegate {
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if let error = error as? URLError, error.code == .cancelled { return }
        if (error as NSError?)?.userInfo[NSURLSessionDownloadTaskResumeData] != nil { return }
    }
}

func membersOfURLSession(_ session: URLSession, _ task: URLSessionTask, _ space: URLProtectionSpace) async throws {
    let configuration = session.configuration
    configuration.timeoutIntervalForRequest = 5
    _ = configuration as URLSessionConfiguration
    let delegate = session.delegate
    _ = delegate as (any URLSessionDelegate)?
    let own = task.delegate
    _ = own as (any URLSessionTaskDelegate)?
    let request = task.originalRequest
    _ = request as URLRequest?
    let method = space.authenticationMethod
    _ = method as String
    let tasks = await session.allTasks
    _ = tasks as [URLSessionTask]
    await session.reset()
    var changed = URLRequest(url: URL(fileURLWithPath: "/"))
    changed.setValue("a", forHTTPHeaderField: "A")
    changed.addValue("b", forHTTPHeaderField: "A")
    let (data, response) = try await session.data(for: changed)
    _ = (data, response) as (Data, URLResponse)
    let upload = session.uploadTask(withStreamedRequest: changed)
    _ = upload as URLSessionUploadTask
    let kept = HTTPCookieStorage.shared.cookies?.first?.properties
    _ = kept as [HTTPCookiePropertyKey: Any]?
}
