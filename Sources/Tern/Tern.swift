// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Sends a request through `SessionManager.default`; see
/// ``SessionManager/request(_:method:parameters:encoding:headers:)``.
@discardableResult
public func request(
    _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
    encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil
) -> DataRequest {
    SessionManager.default.request(
        url, method: method, parameters: parameters, encoding: encoding, headers: headers)
}

/// Sends a request through `SessionManager.default`; see ``SessionManager/request(_:)``.
@discardableResult
public func request(_ urlRequest: any URLRequestConvertible) -> DataRequest {
    SessionManager.default.request(urlRequest)
}

/// Downloads a file through `SessionManager.default`; see
/// ``SessionManager/download(_:method:parameters:encoding:headers:to:)``.
@discardableResult
public func download(
    _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
    encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil,
    to destination: DownloadRequest.DownloadFileDestination? = nil
) -> DownloadRequest {
    SessionManager.default.download(
        url, method: method, parameters: parameters, encoding: encoding, headers: headers, to: destination)
}

/// Downloads a file through `SessionManager.default`; see ``SessionManager/download(_:to:)``.
@discardableResult
public func download(
    _ urlRequest: any URLRequestConvertible, to destination: DownloadRequest.DownloadFileDestination? = nil
) -> DownloadRequest {
    SessionManager.default.download(urlRequest, to: destination)
}

/// Resumes a download through `SessionManager.default`; see ``SessionManager/download(resumingWith:to:)``.
@discardableResult
public func download(
    resumingWith resumeData: Data, to destination: DownloadRequest.DownloadFileDestination? = nil
) -> DownloadRequest {
    SessionManager.default.download(resumingWith: resumeData, to: destination)
}

/// Sends a file through `SessionManager.default`; see ``SessionManager/upload(_:to:method:headers:)-(URL,_,_,_)``.
@discardableResult
public func upload(
    _ fileURL: URL, to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil
) -> UploadRequest {
    SessionManager.default.upload(fileURL, to: url, method: method, headers: headers)
}

/// Sends a file through `SessionManager.default`; see ``SessionManager/upload(_:with:)-(URL,_)``.
@discardableResult
public func upload(_ fileURL: URL, with urlRequest: any URLRequestConvertible) -> UploadRequest {
    SessionManager.default.upload(fileURL, with: urlRequest)
}

/// Sends data through `SessionManager.default`; see ``SessionManager/upload(_:to:method:headers:)-(Data,_,_,_)``.
@discardableResult
public func upload(
    _ data: Data, to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil
) -> UploadRequest {
    SessionManager.default.upload(data, to: url, method: method, headers: headers)
}

/// Sends data through `SessionManager.default`; see ``SessionManager/upload(_:with:)-(Data,_)``.
@discardableResult
public func upload(_ data: Data, with urlRequest: any URLRequestConvertible) -> UploadRequest {
    SessionManager.default.upload(data, with: urlRequest)
}

/// Sends a stream through `SessionManager.default`; see
/// ``SessionManager/upload(_:to:method:headers:)-(InputStream,_,_,_)``.
@discardableResult
public func upload(
    _ stream: sending InputStream, to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil
) -> UploadRequest {
    SessionManager.default.upload(stream, to: url, method: method, headers: headers)
}

/// Sends a stream through `SessionManager.default`; see ``SessionManager/upload(_:with:)-(InputStream,_)``.
@discardableResult
public func upload(_ stream: sending InputStream, with urlRequest: any URLRequestConvertible) -> UploadRequest {
    SessionManager.default.upload(stream, with: urlRequest)
}

/// Opens a connection of bytes through `SessionManager.default`; see ``SessionManager/stream(withHostName:port:)``.
@discardableResult
public func stream(withHostName hostName: String, port: Int) -> StreamRequest {
    SessionManager.default.stream(withHostName: hostName, port: port)
}

/// Opens a WebSocket through `SessionManager.default`; see ``SessionManager/webSocketRequest(to:configuration:headers:)``.
@discardableResult
public func webSocketRequest(
    to url: any URLConvertible, configuration: WebSocketConfiguration = WebSocketConfiguration(),
    headers: HTTPHeaders? = nil
) -> WebSocketRequest {
    SessionManager.default.webSocketRequest(to: url, configuration: configuration, headers: headers)
}

/// Sends a form through `SessionManager.default`; see
/// ``SessionManager/upload(_:to:method:headers:)-(MultipartForm,_,_,_)``.
@discardableResult
public func upload(
    _ form: MultipartForm, to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil
) -> UploadRequest {
    SessionManager.default.upload(form, to: url, method: method, headers: headers)
}

/// Sends a form through `SessionManager.default`; see ``SessionManager/upload(_:with:)-(MultipartForm,_)``.
@discardableResult
public func upload(_ form: MultipartForm, with urlRequest: any URLRequestConvertible) -> UploadRequest {
    SessionManager.default.upload(form, with: urlRequest)
}

/// Encodes a form in the background, and sends it through `SessionManager.default`; see
/// ``SessionManager/upload(multipartFormData:usingThreshold:to:method:headers:queue:encodingCompletion:)``.
@preconcurrency
public func upload(
    multipartFormData: @escaping @Sendable (MultipartFormData) -> Void,
    usingThreshold encodingMemoryThreshold: UInt64 = SessionManager.multipartFormDataEncodingMemoryThreshold,
    to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
    queue: DispatchQueue? = nil,
    encodingCompletion: (@Sendable (SessionManager.MultipartFormDataEncodingResult) -> Void)?
) {
    SessionManager.default.upload(
        multipartFormData: multipartFormData, usingThreshold: encodingMemoryThreshold, to: url, method: method,
        headers: headers, queue: queue, encodingCompletion: encodingCompletion)
}

/// Encodes a form in the background, and sends it through `SessionManager.default`; see
/// ``SessionManager/upload(multipartFormData:usingThreshold:with:queue:encodingCompletion:)``.
@preconcurrency
public func upload(
    multipartFormData: @escaping @Sendable (MultipartFormData) -> Void,
    usingThreshold encodingMemoryThreshold: UInt64 = SessionManager.multipartFormDataEncodingMemoryThreshold,
    with urlRequest: any URLRequestConvertible, queue: DispatchQueue? = nil,
    encodingCompletion: (@Sendable (SessionManager.MultipartFormDataEncodingResult) -> Void)?
) {
    SessionManager.default.upload(
        multipartFormData: multipartFormData, usingThreshold: encodingMemoryThreshold, with: urlRequest, queue: queue,
        encodingCompletion: encodingCompletion)
}
