// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernAlamofire
import TernTesting
import TestProofs
import Testing

@Suite struct Uploads {
    private let origin: ScriptedOrigin

    init() throws {
        origin = try ScriptedOrigin { _, request in [.ok("\(request.body.count)")] }
    }

    private func text(_ request: DataRequest) async -> String? {
        await withCheckedContinuation { continuation in
            request.responseString { continuation.resume(returning: $0.value) }
        }
    }

    @Test(.proves("2.1d", "2.14a", "11.8a")) func `data, a file and a stream`() async throws {
        let data = Data(repeating: 7, count: 100_000)
        let fileURL = FileManager.default.temporaryDirectory.appendingPathComponent("video-\(UUID()).mov")
        try data.write(to: fileURL)
        defer { try? FileManager.default.removeItem(at: fileURL) }
        #expect(await text(Alamofire.upload(data, to: origin.url("/post"))) == "100000")
        #expect(await text(Alamofire.upload(fileURL, to: origin.url("/post"), method: .put)) == "100000")
        let request = Alamofire.upload(InputStream(data: data), to: origin.url("/post"), headers: ["X-A": "b"])
        #expect(await text(request) == "100000")
        #expect(origin.requests.map(\.method) == ["POST", "PUT", "POST"])
        #expect(origin.requests.last?.value(of: "X-A") == "b")
    }

    @Test(.proves("4.10a", "4.12a", "11.6a")) func `progress of an upload and of a download`() async throws {
        let origin = origin
        let sessionManager = SessionManager(configuration: .default)
        sessionManager.startRequestsImmediately = false
        let request = sessionManager.upload(Data(repeating: 7, count: 3_000_000), to: origin.url("/post"))
        let fractions: [Double] = await withCheckedContinuation { continuation in
            var fractions: [Double] = []
            let queue = DispatchQueue(label: "progress")
            request
                .uploadProgress(queue: queue) { progress in
                    fractions.append(progress.fractionCompleted)
                }
                .downloadProgress(queue: queue) { progress in
                    print("Download Progress: \(progress.fractionCompleted)")
                }
                .responseString(queue: queue) { response in
                    continuation.resume(returning: fractions)
                }
            request.resume()
        }
        #expect(fractions.last == 1 && fractions == fractions.sorted(), "\(fractions)")
    }
}
