// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine
import TernFoundation

extension URLCache {
    /// Creates a cache in memory and in a folder; nil for memory alone. If the folder cannot be used, the cache is in
    /// memory alone, and ``TernEngine/URLCache/diskError`` says why.
    public convenience init(memoryCapacity: Int, diskCapacity: Int, directory: URL?) {
        guard let directory, diskCapacity > 0 else {
            self.init(memoryCapacity: memoryCapacity)
            return
        }
        do throws(URLCacheError) {
            try self.init(memoryCapacity: memoryCapacity, diskCapacity: diskCapacity, folder: directory)
        } catch {
            self.init(memoryCapacity: memoryCapacity, without: error)
        }
    }

    /// The same with a path; a relative one is below the user's folder for caches.
    public convenience init(memoryCapacity: Int, diskCapacity: Int, diskPath: String?) {
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        self.init(
            memoryCapacity: memoryCapacity, diskCapacity: diskCapacity,
            directory: diskPath.map { URL(filePath: $0, relativeTo: caches) })
    }

    /// Stores a response for the current request of a task.
    public func storeCachedResponse(_ cachedResponse: CachedURLResponse, for dataTask: SessionDataTask) {
        if let request = dataTask.currentRequest { storeCachedResponse(cachedResponse, for: request) }
    }

    /// Calls the completion handler with the response to the current request of a task, on a queue; nil without one.
    public func getCachedResponse(
        for dataTask: SessionDataTask, completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        DispatchQueue.global().async {
            completionHandler(dataTask.currentRequest.flatMap { self.cachedResponse(for: $0) })
        }
    }

    /// Removes what is stored for the current request of a task.
    public func removeCachedResponse(for dataTask: SessionDataTask) {
        if let request = dataTask.currentRequest { removeCachedResponse(for: request) }
    }
}

extension CachedURLResponse {
    /// The response. That of a server is an ``TernEngine/HTTPURLResponse``.
    public var response: any URLResponse { httpResponse.shown }

    /// Creates a cached response with values of any type under keys of any type.
    public init(
        response: any URLResponse, data: Data, userInfo: [AnyHashable: Any]? = nil,
        storagePolicy: URLCache.StoragePolicy = .allowed
    ) {
        self.init(
            response: response.http, data: data, information: userInfo.map { CachedUserInfo($0) },
            storagePolicy: storagePolicy)
    }

    /// The same response.
    public func copy() -> Any { self }

    /// The same response.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether `value` is equal.
    public func isEqual(_ value: Any?) -> Bool { (value as? CachedURLResponse) == self }

    /// Of the response.
    public var hash: Int { hashValue }
}

extension CachedURLResponse: Hashable {
    /// Whether response, data and storage policy are equal.
    public static func == (left: CachedURLResponse, right: CachedURLResponse) -> Bool {
        left.httpResponse == right.httpResponse && left.storagePolicy == right.storagePolicy && left.data == right.data
    }

    /// Hashes the response.
    public func hash(into hasher: inout Hasher) { hasher.combine(httpResponse) }
}
