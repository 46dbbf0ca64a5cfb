// SPDX-License-Identifier: Apache-2.0
#if false  // waits: downloads
    import Foundation
    import TernAlamofire
    import TernTesting
    import Testing

    @Suite struct Downloads {
        @Test func `a download goes where its destination says`() async throws {
            let origin = try ScriptedOrigin { _, _ in [.ok("a picture")] }
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("downloads-\(UUID())")
            defer { try? FileManager.default.removeItem(at: folder) }
            let destination: DownloadRequest.DownloadFileDestination = { _, response in
                let fileURL = folder.appendingPathComponent("pig.png")
                return (fileURL, [.removePreviousFile, .createIntermediateDirectories])
            }
            let response: DownloadResponse<Data> = await withCheckedContinuation { continuation in
                Alamofire.download(origin.url("/image/png"), to: destination)
                    .downloadProgress { progress in
                        print("Download Progress: \(progress.fractionCompleted)")
                    }
                    .responseData { continuation.resume(returning: $0) }
            }
            #expect(response.error == nil && response.destinationURL?.lastPathComponent == "pig.png")
            #expect(response.result.value == Data("a picture".utf8))
            let suggested = DownloadRequest.suggestedDownloadDestination(for: .documentDirectory)
            Alamofire.download(origin.url("/image/png"), to: suggested).cancel()
        }

        @Test func `what was cut off is resumed`() {
            class ImageRequestor {
                private var resumeData: Data?
                private var image: Data?

                func fetchImage(_ url: String, completion: @escaping (Data?) -> Void) {
                    guard image == nil else { completion(image); return }
                    let request: DownloadRequest
                    if let resumeData = resumeData {
                        request = Alamofire.download(resumingWith: resumeData)
                    } else {
                        request = Alamofire.download(url)
                    }
                    request.responseData { response in
                        switch response.result {
                        case .success(let data):
                            self.image = data
                        case .failure:
                            self.resumeData = response.resumeData
                        }
                    }
                }
            }
        }
    }
#endif
