// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernURLSession

// Every member, with the type that FoundationNetworking declares: compiled, not run.

func membersOfURLProtocol(_ x: URLProtocol) {
    _ = x.cachedResponse as CachedURLResponse?
    _ = URLProtocol.canInit(with:) as (URLRequest) -> Bool
    _ = URLProtocol.canInit(with:) as (URLSessionTask) -> Bool
    _ = URLProtocol.canonicalRequest(for:) as (URLRequest) -> URLRequest
    change(&x.client, as: (any URLProtocolClient)?.self)
    _ =
        URLProtocol.init(request:cachedResponse:client:)
        as (URLRequest, CachedURLResponse?, (any URLProtocolClient)?) -> URLProtocol
    _ =
        URLProtocol.init(task:cachedResponse:client:)
        as (URLSessionTask, CachedURLResponse?, (any URLProtocolClient)?) -> URLProtocol
    _ = URLProtocol.property(forKey:in:) as (String, URLRequest) -> Any?
    _ = URLProtocol.registerClass(_:) as (AnyClass) -> Bool
    _ = URLProtocol.removeProperty(forKey:in:) as (String, NSMutableURLRequest) -> Void
    _ = x.request as URLRequest
    _ = URLProtocol.requestIsCacheEquivalent(_:to:) as (URLRequest, URLRequest) -> Bool
    _ = URLProtocol.setProperty(_:forKey:in:) as (Any, String, NSMutableURLRequest) -> Void
    _ = x.startLoading as () -> Void
    _ = x.stopLoading as () -> Void
    change(&x.task, as: URLSessionTask?.self)
    _ = URLProtocol.unregisterClass(_:) as (AnyClass) -> Void
}

func membersOfURLProtocolClient(_ x: any URLProtocolClient) {
    _ = x.urlProtocol(_:cachedResponseIsValid:) as (URLProtocol, CachedURLResponse) -> Void
    _ = x.urlProtocol(_:didCancel:) as (URLProtocol, URLAuthenticationChallenge) -> Void
    _ = x.urlProtocol(_:didFailWithError:) as (URLProtocol, any Error) -> Void
    _ = x.urlProtocol(_:didLoad:) as (URLProtocol, Data) -> Void
    _ = x.urlProtocol(_:didReceive:) as (URLProtocol, URLAuthenticationChallenge) -> Void
    _ =
        x.urlProtocol(_:didReceive:cacheStoragePolicy:)
        as (URLProtocol, any URLResponse, URLCache.StoragePolicy) -> Void
    _ = x.urlProtocol(_:wasRedirectedTo:redirectResponse:) as (URLProtocol, URLRequest, any URLResponse) -> Void
    _ = x.urlProtocolDidFinishLoading(_:) as (URLProtocol) -> Void
}
