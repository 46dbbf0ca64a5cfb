// SPDX-License-Identifier: Apache-2.0
// Downloads files with a delegate that follows their progress.
import Foundation
import FoundationNetworking

final class Downloader: NSObject, URLSessionDownloadDelegate {
    private let finished = DispatchSemaphore(value: 0)
    private let name: String
    private var written: Int64 = 0

    init(name: String) { self.name = name }

    func download(_ url: URL) {
        let session = URLSession(configuration: .default, delegate: self, delegateQueue: nil)
        let task = session.downloadTask(with: url)
        task.taskDescription = name
        print(name, task.state == .suspended, task.countOfBytesReceived)
        task.resume()
        finished.wait()
        session.finishTasksAndInvalidate()
        finished.wait()
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        written = max(written, totalBytesWritten)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        let data = try? Data(contentsOf: location)
        let status = (downloadTask.response as? HTTPURLResponse)?.statusCode
        print(name, "file of", data?.count ?? -1, "bytes", status ?? -1, downloadTask.taskDescription ?? "-")
        let kept = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        do {
            try FileManager.default.moveItem(at: location, to: kept)
            try FileManager.default.removeItem(at: kept)
            print(name, "moved")
        } catch { print(name, "not moved") }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        let isWhole = error == nil && written == task.countOfBytesExpectedToReceive
        print(name, "completed", (error as? URLError)?.code.rawValue ?? 0, isWhole, written)
        finished.signal()
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: Error?) {
        print(name, "invalid", error == nil)
        finished.signal()
    }
}

guard let url = URL(string: "http://127.0.0.1:8080/file"), let closed = URL(string: "http://127.0.0.1:1/file") else {
    exit(1)
}
Downloader(name: "whole").download(url)
Downloader(name: "refused").download(closed)
