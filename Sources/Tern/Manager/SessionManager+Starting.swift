// SPDX-License-Identifier: Apache-2.0
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
            return upload(try URLRequest(url: url, method: method, headers: headers))
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

    func start<Kind: Request>(_ request: Kind) -> Kind {
        if request.isUnadapted, delegate.askAboutAdaptation(of: request) { return request }
        let starts = startRequestsImmediately
        if let task = request.task {
            request.delegate.isUnstarted.store(!starts, ordering: .relaxed)
            delegate.add(request, for: task, starting: starts)
        }
        if starts { request.resume() }
        return request
    }
}
