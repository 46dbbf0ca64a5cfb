// SPDX-License-Identifier: Apache-2.0
public import TernEngine

/// Answers what a session's cache stores of a complete response, with the shape of Alamofire 5's protocol.
///
/// Set one for a request with ``DataRequest/cacheResponse(using:)``. It is not called in a session without a cache, or for
/// a response that may not be stored.
public protocol CachedResponseHandler: Sendable {
    /// Calls the completion once, at once or later, on any thread: with the proposed response, with another one, or with
    /// nil to store none. On the manager's callback queue.
    func dataTask(
        _ task: SessionDataTask, willCacheResponse response: CachedURLResponse,
        completion: @escaping @Sendable (CachedURLResponse?) -> Void)
}

/// A handler that stores responses, stores none, or changes them.
public struct ResponseCacher: CachedResponseHandler {
    /// What it does.
    public enum Behavior: Sendable {
        /// Stores the proposed response.
        case cache
        /// Stores none.
        case doNotCache
        /// Stores what the closure returns; nil for none.
        case modify(@Sendable (SessionDataTask, CachedURLResponse) -> CachedURLResponse?)
    }

    /// Stores the proposed response.
    public static let cache = ResponseCacher(behavior: .cache)
    /// Stores none.
    public static let doNotCache = ResponseCacher(behavior: .doNotCache)

    /// What it does.
    public let behavior: Behavior

    /// Creates a handler with this behaviour.
    public init(behavior: Behavior) { self.behavior = behavior }

    /// Answers as its behaviour says.
    public func dataTask(
        _ task: SessionDataTask, willCacheResponse response: CachedURLResponse,
        completion: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        switch behavior {
        case .cache: completion(response)
        case .doNotCache: completion(nil)
        case .modify(let closure): completion(closure(task, response))
        }
    }
}
