// SPDX-License-Identifier: Apache-2.0
public import Dispatch
import Synchronization
public import TernEngine

/// Makes requests, and keeps what they share: connections, trust policies, default header fields, the callback queue.
///
/// Any thread, any time. Letting go of a manager ends its pending requests with an error.
public final class SessionManager: Sendable {
    /// The manager behind the free functions. Adds ``defaultHTTPHeaders`` to its requests.
    public static let `default` = SessionManager(configuration: .withDefaultHeaders)

    /// What sends the requests.
    public let session: Session
    private let context: RequestContext
    private let startsImmediately = Atomic<Bool>(true)

    /// - Parameters:
    ///   - configuration: how connections and requests are to behave.
    ///   - serverTrustPolicyManager: which server to trust how; a host without a policy is evaluated as the system would.
    ///   - callbackQueue: where handlers run unless they name a queue; nil makes a serial one. A server never runs its main
    ///     queue, so that is not the default.
    public init(
        configuration: SessionConfiguration = .default, serverTrustPolicyManager: ServerTrustPolicyManager? = nil,
        callbackQueue: DispatchQueue? = nil
    ) {
        session = Session(configuration: configuration, serverTrustPolicyManager: serverTrustPolicyManager)
        context = RequestContext(
            callbacks: CallbackQueue(callbackQueue ?? DispatchQueue(label: "tern.callbacks", qos: .utility)),
            configuration: configuration)
    }

    /// Whether requests start when they are made; if not, `resume()` starts them. True at first.
    public var startRequestsImmediately: Bool {
        get { startsImmediately.load(ordering: .relaxed) }
        set { startsImmediately.store(newValue, ordering: .relaxed) }
    }

    /// Which server is to be trusted how; may be set at any time, and counts for every request
    /// from then on.
    public var serverTrustPolicyManager: ServerTrustPolicyManager? {
        get { session.serverTrustPolicyManager }
        set { session.serverTrustPolicyManager = newValue }
    }

    /// Makes a request. Whatever stands in its way is told to its handlers.
    ///
    /// - Parameters:
    ///   - url: an http or https URL.
    ///   - method: the method.
    ///   - parameters: what `encoding` puts into the request; nil leaves it as it is.
    ///   - encoding: where and how parameters are put.
    ///   - headers: header fields, in place of the session's of the same name.
    @discardableResult
    public func request(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil
    ) -> DataRequest {
        var original: URLRequest?
        do {
            let urlRequest = try URLRequest(url: url, method: method, headers: headers)
            original = urlRequest
            return start(try encoding.encode(urlRequest, with: parameters))
        } catch {
            return start(DataRequest(original, failedWith: error, context: context))
        }
    }

    /// Makes a request. Whatever stands in its way is told to its handlers.
    @discardableResult
    public func request(_ urlRequest: any URLRequestConvertible) -> DataRequest {
        do {
            return start(try urlRequest.asURLRequest())
        } catch {
            return start(DataRequest(nil, failedWith: error, context: context))
        }
    }

    private func start(_ urlRequest: URLRequest) -> DataRequest {
        start(DataRequest(urlRequest, session: session, context: context))
    }

    private func start(_ request: DataRequest) -> DataRequest {
        if startRequestsImmediately { request.resume() }
        return request
    }
}
