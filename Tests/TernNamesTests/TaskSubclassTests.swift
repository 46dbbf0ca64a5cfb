// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernURLSession
import Testing

/// Tasks that tests of a program put in the place of those of a session.
@Suite struct TaskSubclassTests {
    private final class MockTask: URLSessionDataTask, @unchecked Sendable {
        private let closure: @Sendable () -> Void

        init(closure: @escaping @Sendable () -> Void) { self.closure = closure }

        override func resume() { closure() }

        override func cancel() {}

        override var state: URLSessionTask.State { .running }
    }

    private final class Plain: URLSessionDownloadTask, @unchecked Sendable {}

    @Test func `a task that overrides the controls is called in their place`() async {
        await confirmation { called in
            let task: URLSessionTask = MockTask { called() }
            task.resume()
            task.cancel()
            #expect(task.state == .running && task.error == nil && task.response == nil)
        }
    }

    @Test(
        arguments: [
            { URLSessionDataTask() }, { URLSessionUploadTask() }, { URLSessionDownloadTask() },
            { URLSessionStreamTask() },
            { Plain() },
        ] as [@Sendable () -> URLSessionTask])
    func `a task of no session may be asked anything, and fails when it is started`(
        make: @Sendable () -> URLSessionTask
    ) async {
        let task = make()
        #expect(task.state == .suspended && task.taskIdentifier != make().taskIdentifier)
        #expect(task.originalRequest?.url == nil && task.currentRequest?.url == nil && task.delegate == nil)
        #expect(task.countOfBytesSent == 0 && task.countOfBytesExpectedToSend == 0 && task.metrics == nil)
        task.taskDescription = "mine"
        task.priority = 1
        #expect(task.taskDescription == "mine" && task.progress.totalUnitCount == -1)
        let timeline = task.timeline
        task.suspend()
        task.resume()
        task.resume()
        if let stream = task as? URLSessionStreamTask {
            await #expect(throws: URLError.self) { try await stream.write(Data([1]), timeout: 1) }
            stream.closeRead()
            stream.startSecureConnection()
        }
        for await _ in timeline {}
        #expect(task.error?.code == .cancelled && task.state == .completed)
        task.cancel()
    }

    @Test func `a task of no session ends when it is cancelled`() async {
        let task = URLSessionDataTask()
        let timeline = task.timeline
        task.cancel()
        for await _ in timeline {}
        #expect(task.state == .completed && task.error?.code == .cancelled)
        let download = URLSessionDownloadTask()
        let data = await download.cancelByProducingResumeData()
        #expect(data == nil)
    }
}
