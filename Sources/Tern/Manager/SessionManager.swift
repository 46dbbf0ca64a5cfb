// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Synchronization
public import TernEngine
import TernLock

/// Creates requests, which share connections, trust policies, default header fields, an adapter, a retrier and the
/// callback queue.
///
/// Thread-safe. Releasing a manager ends its pending requests with
/// ``TernEngine/SessionError/Reason/sessionInvalidated``, so keep it in a variable. Sendable because its state is immutable or behind locks; a
/// subclass must keep that.
open class SessionManager: @unchecked Sendable {
    /// The manager behind the free functions. Adds ``defaultHTTPHeaders`` to its requests, and keeps cookies in
    /// `HTTPCookieStorage.shared`, as Alamofire's does. In a file that imports `TernAlamofire`, the first use of this
    /// name has them kept in a file.
    ///
    /// As in Alamofire, invalidating its ``session`` ends it for the whole process: a part of a program that wants to end its
    /// requests together uses a manager of its own.
    @_disfavoredOverload
    public static let `default` = SessionManager(configuration: .withDefaultHeaders)

    /// The same, for a module that has a `default` of its own.
    package static var ofProcess: SessionManager { .default }

    /// The session that sends the requests.
    public let session: Session
    private let recentTexts = RecentRequests()
    /// The hub that receives the events of the manager's tasks.
    public let delegate: SessionDelegate
    /// The queue of handlers and closures that name none.
    public let queue: DispatchQueue
    let context: RequestContext
    private let startsImmediately = Atomic<Bool>(true)
    private let policies: Lock<ServerTrustPolicyManager?>
    private let retriers = Lock<(any RequestRetrier)?>(nil)

    /// A manager with a session of its own.
    ///
    /// - Parameters:
    ///   - configuration: the settings of connections and requests. Its ``TernEngine/SessionConfiguration/observers`` are told
    ///     what all requests of the manager do.
    ///   - delegate: a hub, which may serve one manager.
    ///   - serverTrustPolicyManager: the trust policies by host; a host without one gets the default policy.
    ///   - callbackQueue: the queue of handlers that name none; nil creates a serial one. A server never runs its main
    ///     queue, so that is not the default.
    @_disfavoredOverload
    public init(
        configuration: SessionConfiguration = .default, delegate: SessionDelegate = SessionDelegate(),
        serverTrustPolicyManager: ServerTrustPolicyManager? = nil, callbackQueue: DispatchQueue? = nil
    ) {
        session = Session(configuration: configuration, delegate: delegate)
        self.delegate = delegate
        queue = callbackQueue ?? DispatchQueue(label: "tern.callbacks", qos: .utility)
        context = delegate.context(session, queue)
        policies = Lock(serverTrustPolicyManager)
        delegate.attach(session, context.callbacks) { [weak self] in self?.adoptPolicies() }
        adoptPolicies()
    }

    /// Creates a manager of an existing session, which ends with the manager. Nil unless `delegate` is the session's
    /// delegate.
    public init?(
        session: Session, delegate: SessionDelegate, serverTrustPolicyManager: ServerTrustPolicyManager? = nil,
        callbackQueue: DispatchQueue? = nil
    ) {
        guard session.delegate === delegate else { return nil }
        self.session = session
        self.delegate = delegate
        queue = callbackQueue ?? DispatchQueue(label: "tern.callbacks", qos: .utility)
        context = delegate.context(session, queue)
        policies = Lock(serverTrustPolicyManager ?? session.serverTrustPolicyManager)
        delegate.attach(session, context.callbacks) { [weak self] in self?.adoptPolicies() }
        adoptPolicies()
    }

    deinit {
        context.end()
        delegate.abandonRequests()
        session.invalidateAndCancel()
    }

    /// Whether requests start when they are created; if not, `resume()` starts them. Default: true.
    ///
    /// A request that starts by itself is sent with its first response handler: see ``Request/resume()``.
    open var startRequestsImmediately: Bool {
        get { startsImmediately.load(ordering: .relaxed) }
        set { startsImmediately.store(newValue, ordering: .relaxed) }
    }

    /// Changes each request before it is sent. Applies to requests made after it is set.
    open var adapter: (any RequestAdapter)? {
        get { delegate.interception.adapter }
        set { delegate.interception.adapter = newValue }
    }

    /// Decides which failed requests are retried.
    open var retrier: (any RequestRetrier)? {
        get { retriers.withLock { $0 } }
        set {
            retriers.replace(newValue)
            delegate.interception.retrier = newValue.map(question)
        }
    }

    /// The trust policies by host. May be set at any time, and applies to every request made after that.
    open var serverTrustPolicyManager: ServerTrustPolicyManager? {
        get { policies.withLock { $0 } }
        set {
            policies.replace(newValue)
            adoptPolicies()
        }
    }

    /// Makes the session evaluate servers again by the policies, and pass them to the hub's closures, from the next
    /// request on.
    private func adoptPolicies() { session.serverTrustPolicyManager = serverTrustPolicyManager }

    /// As `URLRequest(url:method:headers:)`, but a URL or text that was used a moment ago is not parsed again.
    final func makeRequest(
        _ url: any URLConvertible, _ method: HTTPMethod, _ headers: HTTPHeaders?
    ) throws -> URLRequest {
        let session = session
        var request =
            switch url {
            case let url as URL: session.getRequest(for: url)
            case let text as String: try recentTexts.request(of: text) { session.getRequest(for: try text.asURL()) }
            default: session.getRequest(for: try url.asURL())
            }
        if method != .get { request.httpMethod = method.rawValue }
        if let headers { request.allHTTPHeaderFields = headers }
        return request
    }

    /// Creates a request. Its handlers receive any error.
    ///
    /// - Parameters:
    ///   - url: an http or https URL.
    ///   - method: the method.
    ///   - parameters: the parameters that `encoding` adds to the request, if any.
    ///   - encoding: the encoding of the parameters.
    ///   - headers: header fields; each replaces the session's of the same name.
    @discardableResult
    open func request(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil
    ) -> DataRequest {
        var original: URLRequest?
        do {
            let urlRequest = try makeRequest(url, method, headers)
            original = urlRequest
            return request(try encoding.encode(urlRequest, with: parameters))
        } catch {
            return start(DataRequest(original, failedWith: error, context: context))
        }
    }

    /// Creates a request. Its handlers receive any error.
    @discardableResult
    open func request(_ urlRequest: any URLRequestConvertible) -> DataRequest {
        do {
            return start(DataRequest(try urlRequest.asURLRequest(), context: context))
        } catch {
            return start(DataRequest(nil, failedWith: error, context: context))
        }
    }

    /// Creates a request whose response becomes a file. Its handlers receive any error.
    ///
    /// The other parameters are those of ``request(_:method:parameters:encoding:headers:)``. `destination` returns the
    /// location of the file; nil leaves the temporary file, which the caller must delete.
    @discardableResult
    open func download(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil,
        to destination: DownloadRequest.DownloadFileDestination? = nil
    ) -> DownloadRequest {
        var original: URLRequest?
        do {
            let urlRequest = try makeRequest(url, method, headers)
            original = urlRequest
            return download(try encoding.encode(urlRequest, with: parameters), to: destination)
        } catch {
            return start(DownloadRequest(downloading: original, failedWith: error, context: context))
        }
    }

    /// Creates a request whose response becomes a file. Its handlers receive any error.
    @discardableResult
    open func download(
        _ urlRequest: any URLRequestConvertible, to destination: DownloadRequest.DownloadFileDestination? = nil
    ) -> DownloadRequest {
        do {
            return start(DownloadRequest(try urlRequest.asURLRequest(), to: destination, context: context))
        } catch {
            return start(DownloadRequest(downloading: nil, failedWith: error, context: context))
        }
    }

    /// Resumes a download that was interrupted or cancelled, with the data from ``DownloadRequest/resumeData``. The
    /// adapter is not called. If the file on the server has changed, the download starts again.
    @discardableResult
    open func download(
        resumingWith resumeData: Data, to destination: DownloadRequest.DownloadFileDestination? = nil
    ) -> DownloadRequest {
        start(DownloadRequest(resumingWith: resumeData, to: destination, context: context))
    }

    /// Sends a file, read as it is sent. The request's handlers receive any error.
    @discardableResult
    open func upload(
        _ fileURL: URL, to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil
    ) -> UploadRequest {
        upload(to: url, method, headers) { upload(fileURL, with: $0) }
    }

    /// Sends a file, read as it is sent. The request's handlers receive any error.
    @discardableResult
    open func upload(_ fileURL: URL, with urlRequest: any URLRequestConvertible) -> UploadRequest {
        upload(urlRequest) { Uploadable(urlRequest: $0, content: .file(path: fileURL.path)) }
    }

    /// Sends data. The request's handlers receive any error.
    @discardableResult
    open func upload(
        _ data: Data, to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil
    ) -> UploadRequest {
        upload(to: url, method, headers) { upload(data, with: $0) }
    }

    /// Sends data. The request's handlers receive any error.
    @discardableResult
    open func upload(_ data: Data, with urlRequest: any URLRequestConvertible) -> UploadRequest {
        upload(urlRequest) { Uploadable(urlRequest: $0, content: .data(data)) }
    }

    /// Sends the bytes of a stream in chunks. The request's handlers receive any error.
    @discardableResult
    open func upload(
        _ stream: sending InputStream, to url: any URLConvertible, method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil
    ) -> UploadRequest {
        do {
            return upload(stream, with: try makeRequest(url, method, headers))
        } catch {
            return start(UploadRequest(sending: nil, failedWith: error, context: context))
        }
    }

    /// Sends the bytes of a stream in chunks. The request's handlers receive any error.
    ///
    /// A stream can be read once: to send it again, the manager calls ``SessionDelegate/taskNeedNewBodyStream``.
    @discardableResult
    open func upload(_ stream: sending InputStream, with urlRequest: any URLRequestConvertible) -> UploadRequest {
        do {
            let original = StreamUploadable(try urlRequest.asURLRequest(), stream)
            return start(UploadRequest(sending: original, context: context))
        } catch {
            return start(UploadRequest(sending: nil, failedWith: error, context: context))
        }
    }

    /// Opens a connection of bytes to a host and port. Reads and writes fail if it cannot be opened.
    @discardableResult
    open func stream(withHostName hostName: String, port: Int) -> StreamRequest {
        start(StreamRequest(Streamable(hostName: hostName, port: port), context: context), waits: false)
    }

    /// Sends a form, whose files and streams are read as they are sent. The request's handlers receive any error.
    @discardableResult
    open func upload(
        _ form: MultipartForm, to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil
    ) -> UploadRequest {
        upload(to: url, method, headers) { upload(form, with: $0) }
    }

    /// Sends a form, whose files and streams are read as they are sent. The request's handlers receive any error.
    @discardableResult
    open func upload(_ form: MultipartForm, with urlRequest: any URLRequestConvertible) -> UploadRequest {
        upload(urlRequest) { Uploadable(urlRequest: $0.announcing(form.contentType), content: form.body) }
    }

    /// Encodes a form in the background, and sends it. Reports the result of the encoding on `queue`, or else on the
    /// manager's queue.
    ///
    /// - Parameters:
    ///   - multipartFormData: appends the form's parts, in the background.
    ///   - encodingMemoryThreshold: the maximum size of all parts, in bytes, that is encoded into memory; a longer form
    ///     is encoded into a temporary file, which is deleted when the request has ended.
    ///   - url: an http or https URL.
    ///   - method: the method.
    ///   - headers: header fields, in place of the session's of the same name.
    ///   - queue: where `encodingCompletion` runs.
    ///   - encodingCompletion: is called with the request, which has been started, or with the error.
    @preconcurrency
    open func upload(
        multipartFormData: @escaping @Sendable (MultipartFormData) -> Void,
        usingThreshold encodingMemoryThreshold: UInt64 = SessionManager.multipartFormDataEncodingMemoryThreshold,
        to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        queue: DispatchQueue? = nil,
        encodingCompletion: (@Sendable (MultipartFormDataEncodingResult) -> Void)?
    ) {
        do {
            let urlRequest = try makeRequest(url, method, headers)
            upload(
                multipartFormData: multipartFormData, usingThreshold: encodingMemoryThreshold, with: urlRequest,
                queue: queue, encodingCompletion: encodingCompletion)
        } catch {
            (queue ?? self.queue).async { encodingCompletion?(.failure(error)) }
        }
    }

    /// Encodes a form in the background, and sends it. Reports the result of the encoding on `queue`, or else on the
    /// manager's queue.
    /// The request's Content-Type becomes the form's; for the parameters see
    /// ``upload(multipartFormData:usingThreshold:to:method:headers:queue:encodingCompletion:)``.
    @preconcurrency
    open func upload(
        multipartFormData: @escaping @Sendable (MultipartFormData) -> Void,
        usingThreshold encodingMemoryThreshold: UInt64 = SessionManager.multipartFormDataEncodingMemoryThreshold,
        with urlRequest: any URLRequestConvertible, queue: DispatchQueue? = nil,
        encodingCompletion: (@Sendable (MultipartFormDataEncodingResult) -> Void)?
    ) {
        let answers = queue ?? self.queue
        DispatchQueue.global(qos: .utility).async { [self] in
            let result = encode(multipartFormData, encodingMemoryThreshold, urlRequest)
            answers.async { encodingCompletion?(result) }
        }
    }
}

extension SessionManager {
    /// The fields that `default` sends: `User-Agent` with the process's name, and `Accept-Language` with its six
    /// preferred languages. `Accept-Encoding` is not among them: the engine adds it to each request whose response it
    /// would decode.
    public static let defaultHTTPHeaders: HTTPHeaders = {
        var headers = ["User-Agent": userAgent(processName: ProcessInfo.processInfo.processName)]
        headers["Accept-Language"] = acceptLanguage(Locale.preferredLanguages)
        return headers
    }()

    /// Each language with a weight a tenth below the one before; nil without languages (RFC 9110 §12.5.4).
    static func acceptLanguage(_ languages: [String]) -> String? {
        let ranges = languages.prefix(6).enumerated().map { index, language in
            "\(language);q=\(Double(10 - index) / 10)"
        }
        return ranges.isEmpty ? nil : ranges.joined(separator: ", ")
    }

    /// Products are tokens (RFC 9110 §10.1.5), process names are not always.
    static func userAgent(processName: String) -> String {
        let token = String(
            processName.map { $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) ? $0 : "-" })
        return token.isEmpty ? "Tern" : "\(token) (Linux) Tern"
    }
}

extension SessionConfiguration {
    fileprivate static var withDefaultHeaders: SessionConfiguration {
        var configuration = SessionConfiguration.default
        for (name, value) in SessionManager.defaultHTTPHeaders.sorted(by: { $0.key < $1.key }) {
            configuration.httpAdditionalHeaders[name] = value
        }
        configuration.httpCookieStorage = .shared
        return configuration
    }
}

extension SessionManager {
    /// Creates a request with `Encodable` parameters. Its handlers receive any error.
    ///
    /// - Parameters:
    ///   - url: an http or https URL.
    ///   - method: the method.
    ///   - parameters: the parameters that `encoder` puts into the request; nil leaves it unchanged.
    ///   - encoder: the encoding of the parameters, and their destination.
    ///   - headers: header fields, in place of the session's of the same name.
    @discardableResult
    public func request<Parameters: Encodable & Sendable>(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters?,
        encoder: any ParameterEncoder, headers: HTTPHeaders? = nil
    ) -> DataRequest {
        request(
            EncodableRequest(url: url, method: method, parameters: parameters, encoder: encoder, headers: headers))
    }
}

/// Sends a request through `SessionManager.default`; see
/// ``SessionManager/request(_:method:parameters:encoder:headers:)``.
@discardableResult
public func request<Parameters: Encodable & Sendable>(
    _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters?, encoder: any ParameterEncoder,
    headers: HTTPHeaders? = nil
) -> DataRequest {
    SessionManager.default.request(url, method: method, parameters: parameters, encoder: encoder, headers: headers)
}
