// SPDX-License-Identifier: Apache-2.0
public import Foundation
import TernEngine

extension SessionManager {
    /// The default size in bytes from which ``upload(multipartFormData:usingThreshold:with:queue:encodingCompletion:)``
    /// encodes parts into a file.
    public static let multipartFormDataEncodingMemoryThreshold: UInt64 = 10_000_000

    /// The result of encoding a form.
    public enum MultipartFormDataEncodingResult: Sendable {
        /// The form is encoded, and the request created; it reads the temporary file if there is one.
        case success(request: UploadRequest, streamingFromDisk: Bool, streamFileURL: URL?)
        /// The form or the request could not be created.
        case failure(any Error)
    }

    /// Blocks on the form's files and streams.
    func encode(
        _ multipartFormData: (MultipartFormData) -> Void, _ threshold: UInt64, _ urlRequest: any URLRequestConvertible
    ) -> MultipartFormDataEncodingResult {
        let formData = MultipartFormData()
        multipartFormData(formData)
        do {
            let request = try urlRequest.asURLRequest().announcing(formData.contentType)
            switch try EncodedForm(formData, threshold: threshold) {
            case .data(let data):
                return .success(request: upload(data, with: request), streamingFromDisk: false, streamFileURL: nil)
            case .file(let file):
                let upload = upload(file.url, with: request)
                upload.delegate.queue.addOperation { file.remove() }
                return .success(request: upload, streamingFromDisk: true, streamFileURL: file.url)
            }
        } catch {
            return .failure(error)
        }
    }
}

extension URLRequest {
    /// The same with content of this type.
    func announcing(_ contentType: String) -> URLRequest {
        var request = self
        request.setValue(contentType, forHTTPHeaderField: "Content-Type")
        return request
    }
}
