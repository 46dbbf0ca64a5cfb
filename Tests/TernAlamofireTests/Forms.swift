// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernAlamofire
import TernTesting
import TestProofs
import Testing

@Suite struct Forms {
    private let origin: ScriptedOrigin
    private let unicornImageURL = FileManager.default.temporaryDirectory.appendingPathComponent("unicorn-\(UUID()).png")

    init() throws {
        origin = try ScriptedOrigin { _, request in [.ok("\(request.body.count)")] }
        try Data("png".utf8).write(to: unicornImageURL)
    }

    @Test(.proves("2.15d")) func `a form of data and files`() async throws {
        defer { try? FileManager.default.removeItem(at: unicornImageURL) }
        let unicornImageURL = self.unicornImageURL
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

    @Test func `a form with its progress, from a file, and with a request of one's own`() async throws {
        defer { try? FileManager.default.removeItem(at: unicornImageURL) }
        let unicornImageURL = self.unicornImageURL
        var urlRequest = URLRequest(url: URL(string: origin.url("/put"))!)
        urlRequest.httpMethod = HTTPMethod.put.rawValue
        let manager = SessionManager(configuration: .default)
        let isFromDisk: Bool = await withCheckedContinuation { continuation in
            manager.upload(
                multipartFormData: { formData in
                    let picture = try! Data(contentsOf: unicornImageURL)
                    formData.append(picture, withName: "picture", fileName: "picture.png", mimeType: "image/png")
                    formData.append(
                        InputStream(data: picture), withLength: UInt64(picture.count), name: "stream",
                        fileName: "stream.png", mimeType: "image/png")
                },
                usingThreshold: 0,
                with: urlRequest,
                queue: DispatchQueue(label: "encoded")
            ) { result in
                switch result {
                case .success(let request, let streamingFromDisk, let streamFileURL):
                    print("from \(String(describing: streamFileURL))")
                    request
                        .uploadProgress { progress in print("Upload Progress: \(progress.fractionCompleted)") }
                        .validate()
                        .responseJSON { response in
                            debugPrint(response)
                            continuation.resume(returning: streamingFromDisk)
                        }
                case .failure:
                    continuation.resume(returning: false)
                }
            }
        }
        #expect(isFromDisk)
        #expect(origin.requests.first?.method == "PUT")
    }

    @Test func `a form that is encoded by hand`() throws {
        let formData = MultipartFormData()
        formData.append("tern".data(using: .utf8)!, withName: "bird")
        formData.append("arctic".data(using: .utf8)!, withName: "kind", mimeType: "text/plain")
        let encoded = try formData.encode()
        let target = FileManager.default.temporaryDirectory.appendingPathComponent("form-\(UUID())")
        defer { try? FileManager.default.removeItem(at: target) }
        try formData.writeEncodedData(to: target)
        #expect(try Data(contentsOf: target) == encoded)
        #expect(formData.contentLength == 10)
        #expect(SessionManager.multipartFormDataEncodingMemoryThreshold == 10_000_000)
    }

    @Test func `a form with a file that is not there`() {
        let formData = MultipartFormData()
        formData.append(URL(fileURLWithPath: "/no/such/file.png"), withName: "file")
        do {
            _ = try formData.encode()
            Issue.record("encoded")
        } catch let error as AFError {
            switch error {
            case .multipartEncodingFailed(let reason):
                print("Multipart encoding failed: \(error.localizedDescription)")
                print("Failure Reason: \(reason)")
            default:
                Issue.record("\(error)")
            }
            #expect(error.isMultipartEncodingError)
            #expect(error.url?.lastPathComponent == "file.png")
        } catch {
            Issue.record("\(error)")
        }
    }
}
