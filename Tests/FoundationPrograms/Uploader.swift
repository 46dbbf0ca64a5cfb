// SPDX-License-Identifier: Apache-2.0
// Uploads a stream, data and a file, with a delegate that follows the progress.
import Foundation
import FoundationNetworking

final class Uploader: NSObject, URLSessionDataDelegate {
    private let finished = DispatchSemaphore(value: 0)
    private var sent: Int64 = 0
    private var streams = 0
    private var received = Data()

    func run(_ name: String, _ make: (URLSession) -> URLSessionTask) {
        let session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
        (sent, streams, received) = (0, 0, Data())
        let task = make(session)
        task.resume()
        finished.wait()
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? -1
        print(name, status, String(decoding: received, as: UTF8.self), "sent", sent, "streams", streams)
        session.invalidateAndCancel()
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        sent = totalBytesSent
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) {
        streams += 1
        completionHandler(InputStream(data: Data(repeating: 66, count: 50_000)))
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        received.append(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        if let error = error as? URLError { print("failed", error.code.rawValue) }
        finished.signal()
    }
}

guard let url = URL(string: "http://127.0.0.1:8080/received") else { exit(1) }
var request = URLRequest(url: url)
request.httpMethod = "POST"
request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
let uploader = Uploader()
uploader.run("stream in the request") {
    var streamed = request
    streamed.httpBodyStream = InputStream(data: Data(repeating: 65, count: 100_000))
    return $0.dataTask(with: streamed)
}
uploader.run("stream of the delegate") { $0.uploadTask(withStreamedRequest: request) }
uploader.run("data") { $0.uploadTask(with: request, from: Data(repeating: 67, count: 200_000)) }
let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
FileManager.default.createFile(atPath: file.path, contents: Data(repeating: 68, count: 300_000))
uploader.run("file") { $0.uploadTask(with: request, fromFile: file) }
try? FileManager.default.removeItem(at: file)
uploader.run("nothing") { $0.uploadTask(with: request, from: Data()) }
