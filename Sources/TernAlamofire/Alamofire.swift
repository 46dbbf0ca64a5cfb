// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import Tern

/// What programs write as `Alamofire.request(…)` or `Alamofire.SessionManager`, where Alamofire is a module.
public enum Alamofire {
    /// ``Tern/AFError``
    public typealias AFError = Tern.AFError
    /// ``Tern/DataRequest``
    public typealias DataRequest = Tern.DataRequest
    /// ``Tern/DataResponse``
    public typealias DataResponse = Tern.DataResponse
    /// ``Tern/DataResponseSerializer``
    public typealias DataResponseSerializer = Tern.DataResponseSerializer
    /// ``Tern/DataResponseSerializerProtocol``
    public typealias DataResponseSerializerProtocol = Tern.DataResponseSerializerProtocol
    /// ``Tern/DefaultDataResponse``
    public typealias DefaultDataResponse = Tern.DefaultDataResponse
    /// ``Tern/DefaultDownloadResponse``
    public typealias DefaultDownloadResponse = Tern.DefaultDownloadResponse
    /// ``Tern/DownloadRequest``
    public typealias DownloadRequest = Tern.DownloadRequest
    /// ``Tern/DownloadResponse``
    public typealias DownloadResponse = Tern.DownloadResponse
    /// ``Tern/DownloadResponseSerializer``
    public typealias DownloadResponseSerializer = Tern.DownloadResponseSerializer
    /// ``Tern/DownloadResponseSerializerProtocol``
    public typealias DownloadResponseSerializerProtocol = Tern.DownloadResponseSerializerProtocol
    /// ``Tern/HTTPHeaders``
    public typealias HTTPHeaders = Tern.HTTPHeaders
    /// ``Tern/HTTPMethod``
    public typealias HTTPMethod = Tern.HTTPMethod
    /// ``Tern/JSONEncoding``
    public typealias JSONEncoding = Tern.JSONEncoding
    /// ``Tern/MultipartFormData``
    public typealias MultipartFormData = Tern.MultipartFormData
    /// ``Tern/NetworkReachabilityManager``
    public typealias NetworkReachabilityManager = Tern.NetworkReachabilityManager
    /// ``Tern/ParameterEncoding``
    public typealias ParameterEncoding = Tern.ParameterEncoding
    /// ``Tern/Parameters``
    public typealias Parameters = Tern.Parameters
    /// ``Tern/PropertyListEncoding``
    public typealias PropertyListEncoding = Tern.PropertyListEncoding
    /// ``Tern/Request``
    public typealias Request = Tern.Request
    /// ``Tern/RequestAdapter``
    public typealias RequestAdapter = Tern.RequestAdapter
    /// ``Tern/RequestRetrier``
    public typealias RequestRetrier = Tern.RequestRetrier
    /// ``Tern/RequestRetryCompletion``
    public typealias RequestRetryCompletion = Tern.RequestRetryCompletion
    /// Swift's result, whose error may be any.
    public typealias Result<Value> = Swift.Result<Value, any Error>
    /// ``TernTLS/ServerTrustPolicy``
    public typealias ServerTrustPolicy = Tern.ServerTrustPolicy
    /// ``TernTLS/ServerTrustPolicyManager``
    public typealias ServerTrustPolicyManager = Tern.ServerTrustPolicyManager
    /// ``Tern/SessionDelegate``
    public typealias SessionDelegate = Tern.SessionDelegate
    /// ``Tern/SessionManager``
    public typealias SessionManager = Tern.SessionManager
    /// ``Tern/StreamRequest``
    public typealias StreamRequest = Tern.StreamRequest
    /// ``Tern/TaskDelegate``
    public typealias TaskDelegate = Tern.TaskDelegate
    /// ``Tern/Timeline``
    public typealias Timeline = Tern.Timeline
    /// ``Tern/UploadRequest``
    public typealias UploadRequest = Tern.UploadRequest
    /// ``Tern/URLConvertible``
    public typealias URLConvertible = Tern.URLConvertible
    /// ``Tern/URLEncoding``
    public typealias URLEncoding = Tern.URLEncoding
    /// ``Tern/URLRequestConvertible``
    public typealias URLRequestConvertible = Tern.URLRequestConvertible

    /// ``Tern/request(_:method:parameters:encoding:headers:)``
    @discardableResult
    public static func request(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil
    ) -> DataRequest {
        SessionManager.default.request(
            url, method: method, parameters: parameters, encoding: encoding, headers: headers)
    }

    /// ``Tern/request(_:)``
    @discardableResult
    public static func request(_ urlRequest: any URLRequestConvertible) -> DataRequest {
        SessionManager.default.request(urlRequest)
    }

    /// ``Tern/download(_:method:parameters:encoding:headers:to:)``
    @discardableResult
    public static func download(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil,
        to destination: DownloadRequest.DownloadFileDestination? = nil
    ) -> DownloadRequest {
        SessionManager.default.download(
            url, method: method, parameters: parameters, encoding: encoding, headers: headers, to: destination)
    }

    /// ``Tern/download(_:to:)``
    @discardableResult
    public static func download(
        _ urlRequest: any URLRequestConvertible, to destination: DownloadRequest.DownloadFileDestination? = nil
    ) -> DownloadRequest {
        SessionManager.default.download(urlRequest, to: destination)
    }

    /// ``Tern/download(resumingWith:to:)``
    @discardableResult
    public static func download(
        resumingWith resumeData: Data, to destination: DownloadRequest.DownloadFileDestination? = nil
    ) -> DownloadRequest {
        SessionManager.default.download(resumingWith: resumeData, to: destination)
    }

    /// ``Tern/upload(_:to:method:headers:)-(URL,_,_,_)``
    @discardableResult
    public static func upload(
        _ fileURL: URL, to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil
    ) -> UploadRequest {
        SessionManager.default.upload(fileURL, to: url, method: method, headers: headers)
    }

    /// ``Tern/upload(_:with:)-(URL,_)``
    @discardableResult
    public static func upload(_ fileURL: URL, with urlRequest: any URLRequestConvertible) -> UploadRequest {
        SessionManager.default.upload(fileURL, with: urlRequest)
    }

    /// ``Tern/upload(_:to:method:headers:)-(Data,_,_,_)``
    @discardableResult
    public static func upload(
        _ data: Data, to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil
    ) -> UploadRequest {
        SessionManager.default.upload(data, to: url, method: method, headers: headers)
    }

    /// ``Tern/upload(_:with:)-(Data,_)``
    @discardableResult
    public static func upload(_ data: Data, with urlRequest: any URLRequestConvertible) -> UploadRequest {
        SessionManager.default.upload(data, with: urlRequest)
    }

    /// ``Tern/upload(_:to:method:headers:)-(InputStream,_,_,_)``
    @discardableResult
    public static func upload(
        _ stream: sending InputStream, to url: any URLConvertible, method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil
    ) -> UploadRequest {
        SessionManager.default.upload(stream, to: url, method: method, headers: headers)
    }

    /// ``Tern/upload(_:with:)-(InputStream,_)``
    @discardableResult
    public static func upload(
        _ stream: sending InputStream, with urlRequest: any URLRequestConvertible
    ) -> UploadRequest {
        SessionManager.default.upload(stream, with: urlRequest)
    }

    /// ``Tern/stream(withHostName:port:)``
    @discardableResult
    public static func stream(withHostName hostName: String, port: Int) -> StreamRequest {
        SessionManager.default.stream(withHostName: hostName, port: port)
    }

    /// ``Tern/upload(multipartFormData:usingThreshold:to:method:headers:queue:encodingCompletion:)``
    @preconcurrency
    public static func upload(
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

    /// ``Tern/upload(multipartFormData:usingThreshold:with:queue:encodingCompletion:)``
    @preconcurrency
    public static func upload(
        multipartFormData: @escaping @Sendable (MultipartFormData) -> Void,
        usingThreshold encodingMemoryThreshold: UInt64 = SessionManager.multipartFormDataEncodingMemoryThreshold,
        with urlRequest: any URLRequestConvertible, queue: DispatchQueue? = nil,
        encodingCompletion: (@Sendable (SessionManager.MultipartFormDataEncodingResult) -> Void)?
    ) {
        SessionManager.default.upload(
            multipartFormData: multipartFormData, usingThreshold: encodingMemoryThreshold, with: urlRequest,
            queue: queue, encodingCompletion: encodingCompletion)
    }
}
