// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern

func membersOfTern(_ session: Session, _ task: SessionTask, _ space: ProtectionSpace) async throws {
    var configuration = session.configuration
    configuration.timeouts = Timeouts()
    configuration.httpAdditionalHeaders["A"] = "a"
    _ = configuration as SessionConfiguration
    let request = task.originalRequest
    _ = request as URLRequest
    let method = space.authenticationMethod
    _ = method as ProtectionSpace.AuthenticationMethod
    let tasks = session.allTasks
    _ = tasks as [SessionTask]
    var changed = URLRequest(url: URL(fileURLWithPath: "/"))
    changed.setValue("a", forHTTPHeaderField: "A")
    changed.addValue("b", forHTTPHeaderField: "A")
    let upload = session.uploadTask(withStreamedRequest: changed)
    _ = upload as SessionUploadTask
    let parameters: Parameters = ["a": 1]
    Tern.request("http://localhost", method: .post, parameters: parameters)
        .responseJSON { response in _ = response.error as? SessionError }
    // The type is needed because other files of the module import TernURLSession, whose members are seen here, too.
    let (data, response): (Data, HTTPURLResponse) = try await session.data(for: changed)
    _ = (data, response.statusCode, task.response?.statusCode) as (Data, Int, Int?)
}

func renewsConnections(_ session: Session) { session.reset() }
