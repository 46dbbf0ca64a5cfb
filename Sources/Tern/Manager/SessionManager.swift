// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Synchronization
public import TernEngine
import TernLock

/// Makes requests, and keeps what they share: connections, trust policies, default header fields, an adapter, a
/// retrier, the callback queue.
///
/// Any thread, any time. Letting go of a manager ends its pending requests with
/// ``TernEngine/EngineError/Reason/cancelled``. Sendable because what it stores is immutable or locks itself; a
/// subclass has to keep to that.
open class SessionManager: @unchecked Sendable {
    /// The manager behind the free functions. Adds ``defaultHTTPHeaders`` to its requests.
    public static let `default` = SessionManager(configuration: .withDefaultHeaders)

    /// What sends the requests.
    public let session: Session
    /// Where what happens to the manager's tasks comes by.
    public let delegate: SessionDelegate
    /// Where handlers and closures run unless they name a queue.
    public let queue: DispatchQueue
    let context: RequestContext
    private let startsImmediately = Atomic<Bool>(true)
    private let state: Lock<State>

    private struct State {
        var policies: ServerTrustPolicyManager?
        var backgroundHandler: (@Sendable () -> Void)?
    }

    /// A manager with a session of its own.
    ///
    /// - Parameters:
    ///   - configuration: how connections and requests are to behave.
    ///   - delegate: a hub of one's own; it may serve one manager.
    ///   - serverTrustPolicyManager: which server to trust how; a host without a policy is evaluated as the system
    ///     would.
    ///   - callbackQueue: where handlers run unless they name a queue; nil makes a serial one. A server never runs its
    ///     main queue, so that is not the default.
    public init(
        configuration: SessionConfiguration = .default, delegate: SessionDelegate = SessionDelegate(),
        serverTrustPolicyManager: ServerTrustPolicyManager? = nil, callbackQueue: DispatchQueue? = nil
    ) {
        session = Session(configuration: configuration, delegate: delegate)
        self.delegate = delegate
        queue = callbackQueue ?? DispatchQueue(label: "tern.callbacks", qos: .utility)
        context = RequestContext(session: session, hub: delegate, callbacks: CallbackQueue(queue, after: session.turns))
        state = Lock(State(policies: serverTrustPolicyManager))
        attach()
    }

    /// A manager of a session that is there already and ends with the manager. Nil unless `delegate` is the session's
    /// delegate.
    public init?(
        session: Session, delegate: SessionDelegate, serverTrustPolicyManager: ServerTrustPolicyManager? = nil,
        callbackQueue: DispatchQueue? = nil
    ) {
        guard session.delegate === delegate else { return nil }
        self.session = session
        self.delegate = delegate
        queue = callbackQueue ?? DispatchQueue(label: "tern.callbacks", qos: .utility)
        context = RequestContext(session: session, hub: delegate, callbacks: CallbackQueue(queue, after: session.turns))
        state = Lock(State(policies: serverTrustPolicyManager ?? session.serverTrustPolicyManager))
        attach()
    }

    private func attach() {
        delegate.attach(self, session, context.callbacks)
        adoptPolicies()
    }

    deinit {
        context.end()
        delegate.abandonRequests()
        session.invalidateAndCancel()
    }

    /// Whether requests start when they are made; if not, `resume()` starts them. True at first.
    open var startRequestsImmediately: Bool {
        get { startsImmediately.load(ordering: .relaxed) }
        set { startsImmediately.store(newValue, ordering: .relaxed) }
    }

    /// Changes requests on their way out; those that are made from then on.
    open var adapter: (any RequestAdapter)? {
        get { delegate.adapter }
        set { delegate.adapter = newValue }
    }

    /// Decides which requests are asked again when they fail.
    open var retrier: (any RequestRetrier)? {
        get { delegate.retrier }
        set { delegate.retrier = newValue }
    }

    /// Kept, and never called: there are no background sessions.
    @preconcurrency open var backgroundCompletionHandler: (@Sendable () -> Void)? {
        get { state.withLock { $0.backgroundHandler } }
        set {
            let old = state.withLock { state in
                let old = state.backgroundHandler
                state.backgroundHandler = newValue
                return old
            }
            withExtendedLifetime(old) {}
        }
    }

    /// Which server is to be trusted how; may be set at any time, and counts for every request
    /// from then on.
    open var serverTrustPolicyManager: ServerTrustPolicyManager? {
        get { state.withLock { $0.policies } }
        set {
            let old = state.withLock { state in
                let old = state.policies
                state.policies = newValue
                return old
            }
            adoptPolicies()
            withExtendedLifetime(old) {}
        }
    }

    /// Has the session evaluate servers anew by the policies, and show them to the hub's closures, from the next
    /// request on.
    func adoptPolicies() { session.serverTrustPolicyManager = serverTrustPolicyManager }

    // Requests

    /// Makes a request. Whatever stands in its way is told to its handlers.
    ///
    /// - Parameters:
    ///   - url: an http or https URL.
    ///   - method: the method.
    ///   - parameters: what `encoding` puts into the request; nil leaves it as it is.
    ///   - encoding: where and how parameters are put.
    ///   - headers: header fields, in place of the session's of the same name.
    @discardableResult
    open func request(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil
    ) -> DataRequest {
        var original: URLRequest?
        do {
            let urlRequest = try URLRequest(url: url, method: method, headers: headers)
            original = urlRequest
            return request(try encoding.encode(urlRequest, with: parameters))
        } catch {
            return start(DataRequest(original, failedWith: error, context: context))
        }
    }

    /// Makes a request. Whatever stands in its way is told to its handlers.
    @discardableResult
    open func request(_ urlRequest: any URLRequestConvertible) -> DataRequest {
        do {
            return start(DataRequest(try urlRequest.asURLRequest(), context: context))
        } catch {
            return start(DataRequest(nil, failedWith: error, context: context))
        }
    }

    // Downloads

    /// Makes a request whose response becomes a file. Whatever stands in its way is told to its handlers.
    ///
    /// - Parameters:
    ///   - url: an http or https URL.
    ///   - method: the method.
    ///   - parameters: what `encoding` puts into the request; nil leaves it as it is.
    ///   - encoding: where and how parameters are put.
    ///   - headers: header fields, in place of the session's of the same name.
    ///   - destination: says where the file is to be moved; nil leaves it where it is, for the user to remove.
    @discardableResult
    open func download(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil,
        to destination: DownloadRequest.DownloadFileDestination? = nil
    ) -> DownloadRequest {
        var original: URLRequest?
        do {
            let urlRequest = try URLRequest(url: url, method: method, headers: headers)
            original = urlRequest
            return download(try encoding.encode(urlRequest, with: parameters), to: destination)
        } catch {
            return start(DownloadRequest(downloading: original, failedWith: error, context: context))
        }
    }

    /// Makes a request whose response becomes a file. Whatever stands in its way is told to its handlers.
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

    /// Resumes a download that was interrupted or cancelled, with the data that ``DownloadRequest/resumeData`` was. Its
    /// request is not shown to the adapter. If the file on the server has changed, the download starts over.
    @discardableResult
    open func download(
        resumingWith resumeData: Data, to destination: DownloadRequest.DownloadFileDestination? = nil
    ) -> DownloadRequest {
        start(DownloadRequest(resumingWith: resumeData, to: destination, context: context))
    }

    // Uploads

    /// Sends a file, read as it is sent. Whatever stands in its way is told to the request's handlers.
    @discardableResult
    open func upload(
        _ fileURL: URL, to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil
    ) -> UploadRequest {
        upload(to: url, method, headers) { upload(fileURL, with: $0) }
    }

    /// Sends a file, read as it is sent. Whatever stands in its way is told to the request's handlers.
    @discardableResult
    open func upload(_ fileURL: URL, with urlRequest: any URLRequestConvertible) -> UploadRequest {
        upload(urlRequest) { Uploadable(urlRequest: $0, content: .file(path: fileURL.path)) }
    }

    /// Sends data. Whatever stands in its way is told to the request's handlers.
    @discardableResult
    open func upload(
        _ data: Data, to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil
    ) -> UploadRequest {
        upload(to: url, method, headers) { upload(data, with: $0) }
    }

    /// Sends data. Whatever stands in its way is told to the request's handlers.
    @discardableResult
    open func upload(_ data: Data, with urlRequest: any URLRequestConvertible) -> UploadRequest {
        upload(urlRequest) { Uploadable(urlRequest: $0, content: .data(data)) }
    }

    /// Sends what a stream says, in chunks. Whatever stands in its way is told to the request's handlers.
    @discardableResult
    open func upload(
        _ stream: sending InputStream, to url: any URLConvertible, method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil
    ) -> UploadRequest {
        do {
            return upload(stream, with: try URLRequest(url: url, method: method, headers: headers))
        } catch {
            return start(UploadRequest(sending: nil, failedWith: error, context: context))
        }
    }

    /// Sends what a stream says, in chunks. Whatever stands in its way is told to the request's handlers.
    ///
    /// A stream can be read once: where it has to be sent again, ``SessionDelegate/taskNeedNewBodyStream`` is asked for
    /// another.
    @discardableResult
    open func upload(_ stream: sending InputStream, with urlRequest: any URLRequestConvertible) -> UploadRequest {
        do {
            let original = StreamUploadable(try urlRequest.asURLRequest(), stream)
            return start(UploadRequest(sending: original, context: context))
        } catch {
            return start(UploadRequest(sending: nil, failedWith: error, context: context))
        }
    }

    // Streams

    /// Opens a connection of bytes to a host and port. Reads and writes fail with what prevents it.
    @discardableResult
    open func stream(withHostName hostName: String, port: Int) -> StreamRequest {
        start(StreamRequest(Streamable(hostName: hostName, port: port), context: context))
    }

    /// Sends a form, whose files and streams are read as they are sent. Whatever stands in its way is told to the
    /// request's handlers.
    @discardableResult
    open func upload(
        _ form: MultipartForm, to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil
    ) -> UploadRequest {
        upload(to: url, method, headers) { upload(form, with: $0) }
    }

    /// Sends a form, whose files and streams are read as they are sent. Whatever stands in its way is told to the
    /// request's handlers.
    @discardableResult
    open func upload(_ form: MultipartForm, with urlRequest: any URLRequestConvertible) -> UploadRequest {
        upload(urlRequest) { Uploadable(urlRequest: $0.announcing(form.contentType), content: form.content) }
    }

    /// Encodes a form in the background, and sends it. The result of the encoding is told on `queue`, or else on the
    /// manager's queue.
    ///
    /// - Parameters:
    ///   - multipartFormData: appends the form's parts, in the background.
    ///   - encodingMemoryThreshold: the maximum size of all parts, in bytes, that is encoded into memory; a longer form
    ///     is encoded into a temporary file, which is deleted when the request has ended. A
    ///     ``TernEngine/MultipartForm`` needs neither.
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
            let urlRequest = try URLRequest(url: url, method: method, headers: headers)
            upload(
                multipartFormData: multipartFormData, usingThreshold: encodingMemoryThreshold, with: urlRequest,
                queue: queue, encodingCompletion: encodingCompletion)
        } catch {
            (queue ?? self.queue).async { encodingCompletion?(.failure(error)) }
        }
    }

    /// Encodes a form in the background, and sends it. The result of the encoding is told on `queue`, or else on the
    /// manager's queue.
    ///
    /// - Parameters:
    ///   - multipartFormData: appends the form's parts, in the background.
    ///   - encodingMemoryThreshold: the maximum size of all parts, in bytes, that is encoded into memory; a longer form
    ///     is encoded into a temporary file, which is deleted when the request has ended. A
    ///     ``TernEngine/MultipartForm`` needs neither.
    ///   - urlRequest: the request; its Content-Type becomes the form's.
    ///   - queue: where `encodingCompletion` runs.
    ///   - encodingCompletion: is called with the request, which has been started, or with the error.
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

    /// Sends the content that the request has itself.
    func upload(streamed request: URLRequest) -> UploadRequest {
        start(UploadRequest(sending: StreamedUploadable(urlRequest: request), context: context))
    }

    private func upload(
        to url: any URLConvertible, _ method: HTTPMethod, _ headers: HTTPHeaders?,
        _ upload: (URLRequest) -> UploadRequest
    ) -> UploadRequest {
        do {
            return upload(try URLRequest(url: url, method: method, headers: headers))
        } catch {
            return start(UploadRequest(sending: nil, failedWith: error, context: context))
        }
    }

    private func upload(
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
