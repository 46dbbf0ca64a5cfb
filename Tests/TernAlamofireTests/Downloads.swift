// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernAlamofire
import TernTesting
import TestProofs
import Testing

class ImageRequestor {
    private var resumeData: Data?
    private(set) var image: Data?
    private let destination: DownloadRequest.DownloadFileDestination

    init(_ destination: @escaping DownloadRequest.DownloadFileDestination) {
        self.destination = destination
    }

    func fetchImage(_ url: String, completion: @escaping (Data?) -> Void) -> DownloadRequest? {
        guard image == nil else { completion(image); return nil }
        let request: DownloadRequest
        if let resumeData = resumeData {
            request = Alamofire.download(resumingWith: resumeData, to: destination)
        } else {
            request = Alamofire.download(url, to: destination)
        }
        return request.responseData { response in
            switch response.result {
            case .success(let data):
                self.image = data
            case .failure:
                self.resumeData = response.resumeData
            }
            completion(self.image)
        }
    }
}

extension DownloadRequest {
    static func lineCountSerializer() -> DownloadResponseSerializer<Int> {
        return DownloadResponseSerializer { _, _, fileURL, error in
            guard error == nil else { return .failure(error!) }
            guard let fileURL = fileURL, let text = try? String(contentsOf: fileURL, encoding: .utf8) else {
                return .failure(AFError.responseSerializationFailed(reason: .inputFileNil))
            }
            return .success(text.components(separatedBy: "\n").count)
        }
    }

    @discardableResult
    func responseLineCount(
        queue: DispatchQueue? = nil, completionHandler: @escaping (DownloadResponse<Int>) -> Void
    ) -> Self {
        return response(
            queue: queue, responseSerializer: DownloadRequest.lineCountSerializer(),
            completionHandler: completionHandler)
    }
}

@Suite struct Downloads {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("downloads-\(UUID())")

    private func serving(_ text: String) throws -> ScriptedOrigin { try ScriptedOrigin { _, _ in [.ok(text)] } }

    @Test(.proves("2.1b")) func `a download goes where its destination says`() async throws {
        let origin = try serving("a picture")
        defer { try? FileManager.default.removeItem(at: folder) }
        let destination: DownloadRequest.DownloadFileDestination = { [folder] _, _ in
            let fileURL = folder.appendingPathComponent("pig.png")
            return (fileURL, [.removePreviousFile, .createIntermediateDirectories])
        }
        let response: DownloadResponse<Data> = await withCheckedContinuation { continuation in
            Alamofire.download(origin.url("/image/png"), to: destination)
                .downloadProgress { progress in
                    print("Download Progress: \(progress.fractionCompleted)")
                }
                .responseData { response in
                    debugPrint(response)
                    continuation.resume(returning: response)
                }
        }
        #expect(response.error == nil && response.destinationURL?.lastPathComponent == "pig.png")
        #expect(response.result.value == Data("a picture".utf8))
    }

    @Test(.proves("2.13a", "4.10a", "11.6a"))
    func `a suggested destination, and one of the user's own with the suggested name`() async throws {
        let origin = try serving("a picture")
        defer { try? FileManager.default.removeItem(at: folder) }
        let suggested = DownloadRequest.suggestedDownloadDestination(for: .documentDirectory)
        Alamofire.download(origin.url("/image/png"), method: .get, to: suggested).cancel()
        let own: DownloadRequest.DownloadFileDestination = { [folder] temporaryURL, response in
            (folder.appendingPathComponent(response.suggestedFilename!), [.createIntermediateDirectories])
        }
        let path: String? = await withCheckedContinuation { continuation in
            Alamofire.download(
                origin.url("/image/png"), parameters: ["size": 2], encoding: URLEncoding.default, to: own
            )
            .validate { request, response, temporaryURL, destinationURL in .success }
            .validate(statusCode: 200..<300)
            .response { response in
                if let error = response.error { print("Failed with error: \(error)") }
                continuation.resume(returning: response.destinationURL?.path)
            }
        }
        #expect(path == folder.appendingPathComponent("png").path)
    }

    @Test(.proves("4.12a")) func `progress on a queue of one's own`() async throws {
        let origin = try serving(String(repeating: "x", count: 3_000_000))
        let utilityQueue = DispatchQueue.global(qos: .utility)
        let result: Result<Data> = await withCheckedContinuation { continuation in
            Alamofire.download(URLRequest(url: URL(string: origin.url())!))
                .downloadProgress(queue: utilityQueue) { progress in
                    print("Download Progress: \(progress.fractionCompleted)")
                }
                .responseData(queue: utilityQueue) { response in
                    if let file = response.temporaryURL { try? FileManager.default.removeItem(at: file) }
                    continuation.resume(returning: response.result)
                }
        }
        #expect(result.isSuccess && result.value?.count == 3_000_000)
    }

    @Test(.proves("4.7a")) func `what was cancelled is resumed`() async throws {
        let content = String(repeating: "0123456789", count: 400_000)
        let origin = try ScriptedOrigin { _, request in
            let fields = [(name: "ETag", value: "\"one\"")]
            guard let first = request.value(of: "Range").flatMap({ Int($0.dropFirst(6).dropLast()) }) else {
                let head = "HTTP/1.1 200 OK\r\nETag: \"one\"\r\nContent-Length: \(content.count)\r\n\r\n"
                return [.send(head + content.prefix(content.count / 10 * 9)), .hold]
            }
            let range = (name: "Content-Range", value: "bytes \(first)-\(content.count - 1)/\(content.count)")
            return [.respond(status: 206, fields: fields + [range], body: String(content.dropFirst(first)))]
        }
        defer { try? FileManager.default.removeItem(at: folder) }
        let imageRequestor = ImageRequestor { [folder] _, _ in
            (folder.appendingPathComponent("image"), [.createIntermediateDirectories])
        }
        let nothing: Data? = await withCheckedContinuation { continuation in
            let request = imageRequestor.fetchImage(origin.url()) { continuation.resume(returning: $0) }
            request?.downloadProgress { progress in
                if progress.fractionCompleted > 0.4 { request?.cancel() }
            }
        }
        #expect(nothing == nil)
        let image: Data? = await withCheckedContinuation { continuation in
            _ = imageRequestor.fetchImage(origin.url()) { continuation.resume(returning: $0) }
        }
        #expect(image == Data(content.utf8))
    }

    @Test(.proves("8.5a")) func `a serializer of one's own, and responses mapped`() async throws {
        let origin = try serving("a\nb\nc")
        defer { try? FileManager.default.removeItem(at: folder) }
        let response: DownloadResponse<Int> = await withCheckedContinuation { continuation in
            Alamofire.download(origin.url()) { [folder] _, _ in
                (folder.appendingPathComponent("lines"), [.createIntermediateDirectories])
            }
            .responseLineCount { continuation.resume(returning: $0) }
        }
        #expect(response.value == 3)
        let mapped: DownloadResponse<String> = response.map { "\($0)" }
        #expect(mapped.value == "3" && mapped.flatMap { Int($0) }.value == 3)
    }

    @Test(.proves("3.7a")) func `closures of the hub about downloads`() async throws {
        let origin = try serving("a picture")
        let sessionManager = SessionManager(configuration: .default)
        class Written: @unchecked Sendable { var total: Int64 = 0 }
        let written = Written()
        sessionManager.delegate.downloadTaskDidWriteData = {
            session, downloadTask, bytesWritten, totalBytesWritten, totalBytesExpectedToWrite in
            written.total = totalBytesWritten
        }
        sessionManager.delegate.downloadTaskDidFinishDownloadingToURL = {
            (session: URLSession, downloadTask: URLSessionDownloadTask, location: URL) in
            print("Finished: \(location.path)")
        }
        let url: URL? = await withCheckedContinuation { continuation in
            sessionManager.download(origin.url()).response { continuation.resume(returning: $0.temporaryURL) }
        }
        #expect(url == nil && written.total == 9)
    }
}
