// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernURLSession

// Every member, with the type that FoundationNetworking declares: compiled, not run.

func membersOfURLCredential(_ x: URLCredential) {
    _ = x.copy as () -> Any
    _ = x.copy(with:) as (NSZone?) -> Any
    _ = x.hasPassword as Bool
    _ = URLCredential.init(user:password:persistence:) as (String, String, URLCredential.Persistence) -> URLCredential
    _ = x.isEqual(_:) as (Any?) -> Bool
    _ = x.password as String?
    _ = URLCredential.Persistence.self
    _ = x.persistence as URLCredential.Persistence
    _ = URLCredential.Persistence.forSession as URLCredential.Persistence
    _ = URLCredential.Persistence.init(rawValue:) as (UInt) -> URLCredential.Persistence?
    _ = URLCredential.Persistence.none as URLCredential.Persistence
    _ = URLCredential.Persistence.permanent as URLCredential.Persistence
    _ = URLCredential.Persistence.synchronizable as URLCredential.Persistence
    _ = x.user as String?
}

func membersOfURLProtectionSpace(_ x: URLProtectionSpace) {
    _ = x.authenticationMethod as String
    _ = x.copy as () -> Any
    _ = x.copy(with:) as (NSZone?) -> Any
    _ = x.description as String
    _ = x.distinguishedNames as [Data]?
    _ = x.host as String
    _ =
        URLProtectionSpace.init(host:port:protocol:realm:authenticationMethod:)
        as (String, Int, String?, String?, String?) -> URLProtectionSpace
    _ =
        URLProtectionSpace.init(proxyHost:port:type:realm:authenticationMethod:)
        as (String, Int, String?, String?, String?) -> URLProtectionSpace
    _ = x.isProxy as () -> Bool
    _ = x.port as Int
    _ = x.protocol as String?
    _ = x.proxyType as String?
    _ = x.realm as String?
    _ = x.receivesCredentialSecurely as Bool
}

func membersOfURLCredentialStorage(_ x: URLCredentialStorage) {
    _ = x.allCredentials as [URLProtectionSpace: [String: URLCredential]]
    _ = x.credentials(for:) as (URLProtectionSpace) -> [String: URLCredential]?
    _ = x.defaultCredential(for:) as (URLProtectionSpace) -> URLCredential?
    _ =
        x.getCredentials(for:task:completionHandler:)
        as (URLProtectionSpace, URLSessionTask, ([String: URLCredential]?) -> Void) -> Void
    _ =
        x.getDefaultCredential(for:task:completionHandler:)
        as (URLProtectionSpace, URLSessionTask, (URLCredential?) -> Void) -> Void
    _ = URLCredentialStorage() as URLCredentialStorage
    _ = x.remove(_:for:) as (URLCredential, URLProtectionSpace) -> Void
    _ = x.remove(_:for:options:) as (URLCredential, URLProtectionSpace, [String: AnyObject]?) -> Void
    _ =
        x.remove(_:for:options:task:)
        as (URLCredential, URLProtectionSpace, [String: AnyObject]?, URLSessionTask) -> Void
    _ = x.set(_:for:) as (URLCredential, URLProtectionSpace) -> Void
    _ = x.set(_:for:task:) as (URLCredential, URLProtectionSpace, URLSessionTask) -> Void
    _ = x.setDefaultCredential(_:for:) as (URLCredential, URLProtectionSpace) -> Void
    _ = x.setDefaultCredential(_:for:task:) as (URLCredential, URLProtectionSpace, URLSessionTask) -> Void
    _ = URLCredentialStorage.shared as URLCredentialStorage
}

func membersOfURLAuthenticationChallenge(_ x: URLAuthenticationChallenge) {
    _ = x.error as (any Error)?
    _ = x.failureResponse as (any URLResponse)?
    _ =
        URLAuthenticationChallenge.init(authenticationChallenge:sender:)
        as (URLAuthenticationChallenge, any URLAuthenticationChallengeSender) -> URLAuthenticationChallenge
    _ =
        URLAuthenticationChallenge.init(
            protectionSpace:proposedCredential:previousFailureCount:failureResponse:error:sender:)
        as (
            URLProtectionSpace, URLCredential?, Int, (any URLResponse)?, (any Error)?,
            any URLAuthenticationChallengeSender
        )
        -> URLAuthenticationChallenge
    _ = x.previousFailureCount as Int
    _ = x.proposedCredential as URLCredential?
    _ = x.protectionSpace as URLProtectionSpace
    _ = x.sender as (any URLAuthenticationChallengeSender)?
}

func membersOfURLAuthenticationChallengeSender(_ x: any URLAuthenticationChallengeSender) {
    _ = x.cancel(_:) as (URLAuthenticationChallenge) -> Void
    _ = x.continueWithoutCredential(for:) as (URLAuthenticationChallenge) -> Void
    _ = x.performDefaultHandling(for:) as (URLAuthenticationChallenge) -> Void
    _ = x.rejectProtectionSpaceAndContinue(with:) as (URLAuthenticationChallenge) -> Void
    _ = x.use(_:for:) as (URLCredential, URLAuthenticationChallenge) -> Void
}
