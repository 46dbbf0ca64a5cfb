// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine
import TernFoundation
import TernLock

/// Answers requests in place of the network: a subclass says which ones (`canInit`), starts to load (`startLoading`) and
/// tells its ``client`` what has come. A session has those of ``URLSessionConfiguration/protocolClasses``, and those that
/// are registered.
///
/// Each hop of a task, the targets of redirects included, has an instance of its own. Its methods are called on a queue of
/// the hop, in order, and not on the threads of a session: they may block. The client may be told on any thread.
open class URLProtocol: NSObject {
    private struct State {
        var task: SessionTask?
        var request: URLRequest
        var client: (any URLProtocolClient)?
    }

    private let state: Lock<State>
    /// The stored response for the request. The library passes none: an instance answers whatever is stored.
    public let cachedResponse: CachedURLResponse?

    /// Creates an instance that answers this request.
    public required init(
        request: URLRequest, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?
    ) {
        state = Lock(State(task: nil, request: request, client: client))
        self.cachedResponse = cachedResponse
    }

    /// Creates an instance that answers the present request of a task. The library calls this one.
    public required convenience init(
        task: SessionTask, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?
    ) {
        let request: URLRequest = task.currentRequest ?? task.firstRequest
        self.init(request: request, cachedResponse: cachedResponse, client: client)
        self.task = task
    }

    /// What the instance answers.
    open var request: URLRequest { state.withLock { $0.request } }

    /// The task of the request.
    open var task: SessionTask? {
        get { state.withLock { $0.task } }
        set { _ = state.withLock { state in swap(&state.task, newValue) } }
    }

    /// What is told what the instance has loaded.
    open var client: (any URLProtocolClient)? {
        get { state.withLock { $0.client } }
        set { _ = state.withLock { state in swap(&state.client, newValue) } }
    }

    /// The library has made it for this request.
    fileprivate func adopt(_ request: URLRequest) { _ = state.withLock { state in swap(&state.request, request) } }

    /// Whether the class answers a request. False, unless a subclass says otherwise.
    open class func canInit(with request: URLRequest) -> Bool { false }

    /// Whether the class answers the present request of a task: what ``canInit(with:)-(URLRequest)`` says.
    open class func canInit(with task: SessionTask) -> Bool {
        let request: URLRequest = task.currentRequest ?? task.firstRequest
        return canInit(with: request)
    }

    /// The form of a request in which an instance gets it.
    open class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// For programs that call it: the library does not. False, unless a subclass says otherwise.
    open class func requestIsCacheEquivalent(_ a: URLRequest, to b: URLRequest) -> Bool { false }

    /// Loads the response, and tells the client. The request fails, unless a subclass does better.
    open func startLoading() { client?.urlProtocol(self, didFailWithError: NSError.unsupported) }

    /// The rest of the response is not wanted: the task was cancelled, has timed out, or goes on without it. Not called
    /// when the instance has finished or failed.
    open func stopLoading() {}
}

extension URLProtocol {
    /// Has all sessions ask this class about their next requests, before those that were registered earlier, and behind those
    /// of their configurations. False for a class that is no `URLProtocol`.
    @discardableResult
    public class func registerClass(_ protocolClass: AnyClass) -> Bool {
        guard let kind = protocolClass as? URLProtocol.Type else { return false }
        ProtocolClasses.register { $0 = [kind] + $0.filter { $0 != kind } }
        return true
    }

    /// Undoes the registration of this class.
    public class func unregisterClass(_ protocolClass: AnyClass) {
        ProtocolClasses.register { $0.removeAll { $0 == protocolClass } }
    }

    /// The value that was noted about a request.
    public class func property(forKey key: String, in request: URLRequest) -> Any? { request.properties[key]?.value }

    /// Notes a value about a request. Copies of the request have it, too; nothing of it is sent.
    public class func setProperty(_ value: Any, forKey key: String, in request: NSMutableURLRequest) {
        request.value.properties[key] = RequestProperty(value)
    }

    /// Removes what was noted.
    public class func removeProperty(forKey key: String, in request: NSMutableURLRequest) {
        request.value.properties[key] = nil
    }

    /// The same for a request that is a value.
    public class func setProperty(_ value: Any, forKey key: String, in request: inout URLRequest) {
        request.properties[key] = RequestProperty(value)
    }

    /// The same for a request that is a value.
    public class func removeProperty(forKey key: String, in request: inout URLRequest) {
        request.properties[key] = nil
    }
}

/// Is told what a ``URLProtocol`` has loaded: on any thread. What makes no sense any more has no effect, such as data after
/// the end.
public protocol URLProtocolClient: NSObjectProtocol, Sendable {
    /// The request is redirected to another: the delegate is asked about that, and it is a new hop. The instance has
    /// nothing more to do.
    func urlProtocol(
        _ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: any URLResponse)

    /// A stored response is valid: it is the response, and complete.
    func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse)

    /// The head of the response. A redirect is not followed, unless ``urlProtocol(_:wasRedirectedTo:redirectResponse:)``
    /// says so, and the content is taken as it is, whatever coding the head names.
    func urlProtocol(
        _ protocol: URLProtocol, didReceive response: any URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy)

    /// The next part of the content. A suspended task holds in memory what it is given, and so does one whose response has
    /// not come.
    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data)

    /// The response is complete.
    func urlProtocolDidFinishLoading(_ protocol: URLProtocol)

    /// There is no response, or no more of it.
    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error)

    /// Credentials are requested. The library asks for none on behalf of a protocol class: the request fails with
    /// `userAuthenticationRequired`. A response of status 401 has the delegate asked.
    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: Challenge)

    /// The request for credentials is taken back. No effect.
    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: Challenge)
}

/// The client of the instances that the library makes. Content that comes before its response waits for that, or for the end.
private final class ProtocolClient: NSObject, URLProtocolClient {
    private struct State {
        var receiver: (any ProvidedResponseReceiver)?
        var hasResponse = false
        var early: [Data] = []
    }

    private let state = Lock(State())

    func open(_ receiver: any ProvidedResponseReceiver) { state.withLock { $0.receiver = receiver } }

    private var current: (any ProvidedResponseReceiver)? { state.withLock { $0.receiver } }

    /// Gives the receiver what `give` says, and then the content that came early.
    private func begin(_ give: (any ProvidedResponseReceiver) -> Void) {
        let (receiver, early) = state.withLock { state in
            state.hasResponse = true
            defer { state.early = [] }
            return (state.receiver, state.early)
        }
        guard let receiver else { return }
        give(receiver)
        for content in early { receiver.receive(content) }
    }

    func urlProtocol(
        _ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: any URLResponse
    ) {
        current?.redirect(to: request, after: redirectResponse.http)
    }

    func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {
        guard let current else { return }
        current.receive(cachedResponse.httpResponse, isStorable: false, isFollowed: false)
        current.receive(cachedResponse.data)
        current.finish()
    }

    func urlProtocol(
        _ protocol: URLProtocol, didReceive response: any URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {
        begin { $0.receive(response.http, isStorable: policy != .notAllowed, isFollowed: false) }
    }

    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) {
        let receiver = state.withLock { state -> (any ProvidedResponseReceiver)? in
            if state.hasResponse { return state.receiver }
            state.early.append(data)
            return nil
        }
        receiver?.receive(data)
    }

    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) {
        begin { _ in }
        current?.finish()
    }

    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) { current?.fail(error) }

    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: Challenge) {
        current?.fail(
            NSError(domain: NSURLErrorDomain, code: Foundation.URLError.Code.userAuthenticationRequired.rawValue))
    }

    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: Challenge) {}
}

/// An instance as the engine calls it: it is made, called and released on one queue, hence `@unchecked Sendable`.
private final class ProtocolResponse: ProvidedResponse, @unchecked Sendable {
    private let instance: URLProtocol
    private let client: ProtocolClient

    init(_ instance: URLProtocol, _ client: ProtocolClient) { (self.instance, self.client) = (instance, client) }

    func start(_ receiver: any ProvidedResponseReceiver) {
        client.open(receiver)
        instance.startLoading()
    }

    func stop() { instance.stopLoading() }
}

/// The protocol classes of a session, and behind them those that were registered.
struct ProtocolClasses: ResponseProvider {
    private static let registered = Lock<[URLProtocol.Type]>([])

    static func register(_ change: (inout [URLProtocol.Type]) -> Void) {
        registered.withLock { classes in
            change(&classes)
            RegisteredProvider.set(classes.isEmpty ? nil : ProtocolClasses(own: nil))
        }
    }

    /// Nil for those that are registered alone.
    private let own: [URLProtocol.Type]?

    static func set(_ classes: [AnyClass]?, in configuration: inout SessionConfiguration) {
        let own = classes.map { $0.compactMap { $0 as? URLProtocol.Type } }
        configuration.responseProviders = [ProtocolClasses(own: own), DataURLs()]
    }

    static func classes(of configuration: SessionConfiguration) -> [AnyClass]? {
        for case let provider as ProtocolClasses in configuration.responseProviders ?? [] {
            if let own = provider.own { return own }
        }
        return registered.withLock { $0 }
    }

    private var classes: [URLProtocol.Type] {
        let registered = Self.registered.withLock { $0 }
        guard let own else { return registered }
        return own + registered.filter { kind in !own.contains { $0 == kind } }
    }

    var isForServers: Bool { own?.isEmpty == false || RegisteredProvider.exists }

    func response(to request: URLRequest, of task: any AnyObject & Sendable) -> (any ProvidedResponse)? {
        guard let task = task as? SessionTask, let kind = classes.first(where: { $0.canInit(with: task) }) else {
            return nil
        }
        let client = ProtocolClient()
        let instance = kind.init(task: task, cachedResponse: nil, client: client)
        instance.adopt(kind.canonicalRequest(for: request))
        return ProtocolResponse(instance, client)
    }
}

extension NSError {
    fileprivate static var unsupported: NSError {
        NSError(domain: NSURLErrorDomain, code: Foundation.URLError.Code.unsupportedURL.rawValue)
    }
}

/// Sets a value, and releases the previous one when the caller is done.
private func swap<Value>(_ place: inout Value, _ value: Value) -> Value {
    defer { place = value }
    return place
}
