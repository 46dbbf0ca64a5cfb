// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernURLSession

// Every member, with the type that FoundationNetworking declares: compiled, not run.

func membersOfURLRequest(_ x: inout URLRequest) {
    _ = x == x
    x.addValue("", forHTTPHeaderField: "")
    change(&x.allHTTPHeaderFields, as: [String: String]?.self)
    change(&x.allowsCellularAccess, as: Bool.self)
    _ = URLRequest.CachePolicy.self
    change(&x.cachePolicy, as: URLRequest.CachePolicy.self)
    _ = x.customMirror as Mirror
    _ = x.debugDescription as String
    _ = x.description as String
    var hasher = Hasher()
    x.hash(into: &hasher)
    change(&x.httpBody, as: Data?.self)
    change(&x.httpBodyStream, as: InputStream?.self)
    change(&x.httpMethod, as: String?.self)
    change(&x.httpShouldHandleCookies, as: Bool.self)
    change(&x.httpShouldUsePipelining, as: Bool.self)
    _ = URLRequest.init(url:cachePolicy:timeoutInterval:) as (URL, URLRequest.CachePolicy, TimeInterval) -> URLRequest
    change(&x.mainDocumentURL, as: URL?.self)
    _ = URLRequest.NetworkServiceType.self
    change(&x.networkServiceType, as: URLRequest.NetworkServiceType.self)
    _ = URLRequest.ReferenceType.self
    x.setValue(nil as String?, forHTTPHeaderField: "")
    change(&x.timeoutInterval, as: TimeInterval.self)
    change(&x.url, as: URL?.self)
    _ = x.value(forHTTPHeaderField:) as (String) -> String?
}

func membersOfNSURLRequest(_ x: NSURLRequest) {
    _ = x.allHTTPHeaderFields as [String: String]?
    _ = x.allowsCellularAccess as Bool
    _ = NSURLRequest.CachePolicy.self
    _ = x.cachePolicy as NSURLRequest.CachePolicy
    _ = NSURLRequest.CachePolicy.init(rawValue:) as (UInt) -> NSURLRequest.CachePolicy?
    _ = NSURLRequest.CachePolicy.reloadIgnoringCacheData as NSURLRequest.CachePolicy
    _ = NSURLRequest.CachePolicy.reloadIgnoringLocalAndRemoteCacheData as NSURLRequest.CachePolicy
    _ = NSURLRequest.CachePolicy.reloadIgnoringLocalCacheData as NSURLRequest.CachePolicy
    _ = NSURLRequest.CachePolicy.reloadRevalidatingCacheData as NSURLRequest.CachePolicy
    _ = NSURLRequest.CachePolicy.returnCacheDataDontLoad as NSURLRequest.CachePolicy
    _ = NSURLRequest.CachePolicy.returnCacheDataElseLoad as NSURLRequest.CachePolicy
    _ = NSURLRequest.CachePolicy.useProtocolCachePolicy as NSURLRequest.CachePolicy
    _ = x.copy as () -> Any
    _ = x.copy(with:) as (NSZone?) -> Any
    _ = x.description as String
    _ = x.encode(with:) as (NSCoder) -> Void
    _ = x.hash as Int
    _ = x.httpBody as Data?
    _ = x.httpBodyStream as InputStream?
    _ = x.httpMethod as String?
    _ = x.httpShouldHandleCookies as Bool
    _ = x.httpShouldUsePipelining as Bool
    _ = NSURLRequest.init(coder:) as (NSCoder) -> NSURLRequest?
    _ = NSURLRequest.init(url:) as (URL) -> NSURLRequest
    _ =
        NSURLRequest.init(url:cachePolicy:timeoutInterval:)
        as (URL, NSURLRequest.CachePolicy, TimeInterval) -> NSURLRequest
    _ = x.isEqual(_:) as (Any?) -> Bool
    _ = x.mainDocumentURL as URL?
    _ = x.mutableCopy as () -> Any
    _ = x.mutableCopy(with:) as (NSZone?) -> Any
    _ = NSURLRequest.NetworkServiceType.self
    _ = x.networkServiceType as NSURLRequest.NetworkServiceType
    _ = NSURLRequest.NetworkServiceType.background as NSURLRequest.NetworkServiceType
    _ = NSURLRequest.NetworkServiceType.default as NSURLRequest.NetworkServiceType
    _ = NSURLRequest.NetworkServiceType.init(rawValue:) as (UInt) -> NSURLRequest.NetworkServiceType?
    _ = NSURLRequest.NetworkServiceType.networkServiceTypeCallSignaling as NSURLRequest.NetworkServiceType
    _ = NSURLRequest.NetworkServiceType.video as NSURLRequest.NetworkServiceType
    _ = NSURLRequest.NetworkServiceType.voice as NSURLRequest.NetworkServiceType
    _ = NSURLRequest.NetworkServiceType.voip as NSURLRequest.NetworkServiceType
    _ = NSURLRequest.supportsSecureCoding as Bool
    _ = x.timeoutInterval as TimeInterval
    _ = x.url as URL?
    _ = x.value(forHTTPHeaderField:) as (String) -> String?
}

func membersOfNSMutableURLRequest(_ x: NSMutableURLRequest) {
    _ = x.addValue(_:forHTTPHeaderField:) as (String, String) -> Void
    change(&x.allHTTPHeaderFields, as: [String: String]?.self)
    change(&x.allowsCellularAccess, as: Bool.self)
    change(&x.cachePolicy, as: NSURLRequest.CachePolicy.self)
    _ = x.copy(with:) as (NSZone?) -> Any
    change(&x.httpBody, as: Data?.self)
    change(&x.httpBodyStream, as: InputStream?.self)
    change(&x.httpMethod, as: String?.self)
    change(&x.httpShouldHandleCookies, as: Bool.self)
    change(&x.httpShouldUsePipelining, as: Bool.self)
    _ = NSMutableURLRequest.init(coder:) as (NSCoder) -> NSMutableURLRequest?
    _ = NSMutableURLRequest.init(url:) as (URL) -> NSMutableURLRequest
    _ =
        NSMutableURLRequest.init(url:cachePolicy:timeoutInterval:)
        as (URL, NSURLRequest.CachePolicy, TimeInterval) -> NSMutableURLRequest
    change(&x.mainDocumentURL, as: URL?.self)
    change(&x.networkServiceType, as: NSURLRequest.NetworkServiceType.self)
    _ = x.setValue(_:forHTTPHeaderField:) as (String?, String) -> Void
    change(&x.timeoutInterval, as: TimeInterval.self)
    change(&x.url, as: URL?.self)
}

func membersOfURLResponse(_ x: any URLResponse) {
    _ = x.copy as () -> Any
    _ = x.copy(with:) as (NSZone?) -> Any
    _ = x.expectedContentLength as Int64
    _ = x.hash as Int
    _ =
        URLResponse(url:mimeType:expectedContentLength:textEncodingName:)
        as (URL, String?, Int, String?) -> any URLResponse
    _ = x.isEqual(_:) as (Any?) -> Bool
    _ = x.mimeType as String?
    _ = x.suggestedFilename as String?
    _ = x.textEncodingName as String?
    _ = x.url as URL?
}

func membersOfHTTPURLResponse(_ x: HTTPURLResponse) {
    _ = x.allHeaderFields as [AnyHashable: Any]
    _ = x.description as String
    _ =
        HTTPURLResponse.init(url:statusCode:httpVersion:headerFields:)
        as (URL, Int, String?, [String: String]?) -> HTTPURLResponse?
    _ = HTTPURLResponse.localizedString(forStatusCode:) as (Int) -> String
    _ = x.statusCode as Int
    _ = x.value(forHTTPHeaderField:) as (String) -> String?
}

func membersOfCachedURLResponse(_ x: CachedURLResponse) {
    _ = x.copy as () -> Any
    _ = x.copy(with:) as (NSZone?) -> Any
    _ = x.data as Data
    _ = x.hash as Int
    _ = CachedURLResponse(response: x.response, data: x.data)
    _ =
        CachedURLResponse.init(response:data:userInfo:storagePolicy:)
        as (any URLResponse, Data, [AnyHashable: Any]?, URLCache.StoragePolicy) -> CachedURLResponse
    _ = x.isEqual(_:) as (Any?) -> Bool
    _ = x.response as any URLResponse
    _ = x.storagePolicy as URLCache.StoragePolicy
    _ = x.userInfo as [AnyHashable: Any]?
}

func membersOfURLCache(_ x: URLCache) {
    _ = x.cachedResponse(for:) as (URLRequest) -> CachedURLResponse?
    _ = x.currentDiskUsage as Int
    _ = x.currentMemoryUsage as Int
    change(&x.diskCapacity, as: Int.self)
    _ =
        x.getCachedResponse(for:completionHandler:)
        as (URLSessionDataTask, @escaping @Sendable (CachedURLResponse?) -> Void) -> Void
    _ = URLCache.init(memoryCapacity:diskCapacity:diskPath:) as (Int, Int, String?) -> URLCache
    change(&x.memoryCapacity, as: Int.self)
    _ = x.removeAllCachedResponses as () -> Void
    _ = x.removeCachedResponse(for:) as (URLRequest) -> Void
    _ = x.removeCachedResponse(for:) as (URLSessionDataTask) -> Void
    _ = x.removeCachedResponses(since:) as (Date) -> Void
    change(&URLCache.shared, as: URLCache.self)
    _ = URLCache.StoragePolicy.self
    _ = URLCache.StoragePolicy.allowed as URLCache.StoragePolicy
    _ = URLCache.StoragePolicy.allowedInMemoryOnly as URLCache.StoragePolicy
    _ = URLCache.StoragePolicy.init(rawValue:) as (UInt) -> URLCache.StoragePolicy?
    _ = URLCache.StoragePolicy.notAllowed as URLCache.StoragePolicy
    _ = x.storeCachedResponse(_:for:) as (CachedURLResponse, URLRequest) -> Void
    _ = x.storeCachedResponse(_:for:) as (CachedURLResponse, URLSessionDataTask) -> Void
}
