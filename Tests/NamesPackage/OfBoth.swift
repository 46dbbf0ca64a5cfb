// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernURLSession

func membersOfBoth(_ session: URLSession, _ task: URLSessionTask, _ space: URLProtectionSpace) async throws {
    _ = session as Session
    let configuration = session.configuration
    configuration.timeoutIntervalForRequest = 5
    _ = configuration as URLSessionConfiguration
    let request = task.originalRequest
    _ = request as URLRequest?
    let method = space.authenticationMethod
    _ = method as String
    let tasks = await session.allTasks
    _ = tasks as [SessionTask]
    await session.reset()
    var changed = URLRequest(url: URL(fileURLWithPath: "/"))
    changed.setValue("a", forHTTPHeaderField: "A")
    changed.addValue("b", forHTTPHeaderField: "A")
    let (data, response) = try await session.data(for: changed)
    _ = (data, response) as (Data, URLResponse)
    let parameters: Parameters = ["a": 1]
    Tern.request("http://localhost", method: .post, parameters: parameters)
        .responseJSON { response in _ = response.error as? URLError }
}

func responsesOfBoth(_ session: URLSession, _ task: URLSessionTask, _ request: URLRequest) async throws {
    let (_, response) = try await session.data(for: request)
    guard let http = response as? HTTPURLResponse, task.response is HTTPURLResponse else { return }
    _ = http.allHeaderFields as? [String: String]
    let own: HTTPURLResponse? = task.response
    _ = own?.history
}
