// SPDX-License-Identifier: Apache-2.0
#if false  // waits: forms of several parts
    import Foundation
    import TernAlamofire
    import TernTesting
    import Testing

    @Suite struct Forms {
        @Test func `a form of data and files`() async throws {
            let origin = try ScriptedOrigin { _, request in [.ok("\(request.body.count)")] }
            let unicornImageURL = FileManager.default.temporaryDirectory.appendingPathComponent("unicorn-\(UUID()).png")
            try Data("png".utf8).write(to: unicornImageURL)
            defer { try? FileManager.default.removeItem(at: unicornImageURL) }
            let count: String? = await withCheckedContinuation { continuation in
                Alamofire.upload(
                    multipartFormData: { multipartFormData in
                        multipartFormData.append(unicornImageURL, withName: "unicorn")
                        multipartFormData.append(Data("rainbow".utf8), withName: "rainbow")
                    },
                    to: origin.url("/post"),
                    encodingCompletion: { encodingResult in
                        switch encodingResult {
                        case .success(let upload, _, _):
                            upload.responseString { continuation.resume(returning: $0.value) }
                        case .failure(let encodingError):
                            print(encodingError)
                            continuation.resume(returning: nil)
                        }
                    }
                )
            }
            #expect(count != nil)
            #expect(
                origin.requests.first?.value(of: "Content-Type")?.hasPrefix("multipart/form-data; boundary=") == true)
        }
    }
#endif
