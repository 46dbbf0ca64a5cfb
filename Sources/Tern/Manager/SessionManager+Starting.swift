// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Synchronization
package import TernEngine

// Creates and starts the requests.
extension SessionManager {
    /// Returns the question that is put to a retrier. The manager must not retain itself through its hub.
    func question(_ retrier: any RequestRetrier) -> RequestRetry.Retrier {
        { [weak self] request, error, answer in
            guard let self else { return answer(false, 0) }
            retrier.should(self, retry: request, with: error, completion: answer)
        }
    }

    /// Sends the content of the request's own body stream.
    package func upload(streamed request: URLRequest) -> UploadRequest {
        start(UploadRequest(sending: StreamedUploadable(urlRequest: request), context: context))
    }

    func upload(
        to url: any URLConvertible, _ method: HTTPMethod, _ headers: HTTPHeaders?,
        _ upload: (URLRequest) -> UploadRequest
    ) -> UploadRequest {
        do {
            return upload(try makeRequest(url, method, headers))
        } catch {
            return start(UploadRequest(sending: nil, failedWith: error, context: context))
        }
    }

    func upload(
        _ urlRequest: any URLRequestConvertible, _ original: (URLRequest) -> any TaskConvertible
    ) -> UploadRequest {
        do {
            return start(UploadRequest(sending: original(try urlRequest.asURLRequest()), context: context))
        } catch {
            return start(UploadRequest(sending: nil, failedWith: error, context: context))
        }
    }

    /// - Parameter waits: the request is sent with its first handler, so that what is chained before counts.
    func start<Kind: Request>(_ request: Kind, waits: Bool = true) -> Kind {
        if request.isUnadapted, delegate.askAboutAdaptation(of: request) { return request }
        let starts = startRequestsImmediately
        if let task = request.task {
            request.delegate.start.store(!starts ? .unstarted : waits ? .starting : .started, ordering: .relaxed)
            delegate.add(request, for: task, starting: starts)
        }
        if starts { request.resume() }
        return request
    }
}

// Requests that adopt tasks created on the session itself. They receive the events after that.
extension SessionManager {
    /// Those that have not ended and belong to no request.
    package var unownedTasks: [SessionTask] { delegate.unownedTasks.all }

    package func adopt(_ task: SessionDataTask) -> DataRequest {
        let again = Requestable(urlRequest: task.originalRequest)
        return adopt(task, DataRequest(adopting: AdoptedTask(task, again: again), context: context))
    }

    package func adopt(_ task: SessionUploadTask) -> UploadRequest {
        let again = StreamedUploadable(urlRequest: task.originalRequest)
        return adopt(task, UploadRequest(sending: AdoptedTask(task, again: again), context: context))
    }

    package func adopt(_ task: SessionDownloadTask) -> DownloadRequest {
        adopt(task, DownloadRequest(adopting: task, context: context))
    }

    private func adopt<Kind: Request>(_ task: SessionTask, _ request: Kind) -> Kind {
        delegate.unownedTasks.remove(task)
        let request = start(request, waits: false)
        // The task may have ended just before the request was registered.
        if task.state == .completed { request.delegate.complete(with: task.error) }
        return request
    }
}

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
    /// A copy whose Content-Type is this.
    func announcing(_ contentType: String) -> URLRequest {
        var request = self
        request.setValue(contentType, forHTTPHeaderField: "Content-Type")
        return request
    }
}
