// SPDX-License-Identifier: Apache-2.0
// Uses the members of each type, and writes the label of a member beside what it gives. Each member of
// Tests/TernNamesTests/URLSessionMembers/Same.txt that has no word beside it there is used here.
import Foundation
import FoundationNetworking

setvbuf(stdout, nil, _IOLBF, 0)
let base = URL(string: "http://127.0.0.1:8080/")!
func url(_ path: String) -> URL { base.appendingPathComponent(path) }

func show(_ label: String, _ value: Any?) { print("\(label): \(value.map { "\($0)" } ?? "nil")") }

func show(_ label: String, _ values: [Any?]) {
    print("\(label): \(values.map { $0.map { "\($0)" } ?? "nil" }.joined(separator: " "))")
}

// Enumerations and constants

show("URLError.backgroundSessionInUseByAnotherProcess", URLError.backgroundSessionInUseByAnotherProcess.rawValue)
show("URLError.backgroundSessionRequiresSharedContainer", URLError.backgroundSessionRequiresSharedContainer.rawValue)
show("URLError.backgroundSessionWasDisconnected", URLError.backgroundSessionWasDisconnected.rawValue)
show("URLError.badServerResponse", URLError.badServerResponse.rawValue)
show("URLError.badURL", URLError.badURL.rawValue)
show("URLError.callIsActive", URLError.callIsActive.rawValue)
show("URLError.cancelled", URLError.cancelled.rawValue)
show("URLError.cannotCloseFile", URLError.cannotCloseFile.rawValue)
show("URLError.cannotConnectToHost", URLError.cannotConnectToHost.rawValue)
show("URLError.cannotCreateFile", URLError.cannotCreateFile.rawValue)
show("URLError.cannotDecodeContentData", URLError.cannotDecodeContentData.rawValue)
show("URLError.cannotDecodeRawData", URLError.cannotDecodeRawData.rawValue)
show("URLError.cannotFindHost", URLError.cannotFindHost.rawValue)
show("URLError.cannotLoadFromNetwork", URLError.cannotLoadFromNetwork.rawValue)
show("URLError.cannotMoveFile", URLError.cannotMoveFile.rawValue)
show("URLError.cannotOpenFile", URLError.cannotOpenFile.rawValue)
show("URLError.cannotParseResponse", URLError.cannotParseResponse.rawValue)
show("URLError.cannotRemoveFile", URLError.cannotRemoveFile.rawValue)
show("URLError.cannotWriteToFile", URLError.cannotWriteToFile.rawValue)
show("URLError.clientCertificateRejected", URLError.clientCertificateRejected.rawValue)
show("URLError.clientCertificateRequired", URLError.clientCertificateRequired.rawValue)
show("URLError.dataNotAllowed", URLError.dataNotAllowed.rawValue)
show("URLError.dnsLookupFailed", URLError.dnsLookupFailed.rawValue)
show("URLError.downloadDecodingFailedMidStream", URLError.downloadDecodingFailedMidStream.rawValue)
show("URLError.downloadDecodingFailedToComplete", URLError.downloadDecodingFailedToComplete.rawValue)
show("URLError.fileDoesNotExist", URLError.fileDoesNotExist.rawValue)
show("URLError.fileIsDirectory", URLError.fileIsDirectory.rawValue)
show("URLError.httpTooManyRedirects", URLError.httpTooManyRedirects.rawValue)
show("URLError.internationalRoamingOff", URLError.internationalRoamingOff.rawValue)
show("URLError.networkConnectionLost", URLError.networkConnectionLost.rawValue)
show("URLError.noPermissionsToReadFile", URLError.noPermissionsToReadFile.rawValue)
show("URLError.notConnectedToInternet", URLError.notConnectedToInternet.rawValue)
show("URLError.redirectToNonExistentLocation", URLError.redirectToNonExistentLocation.rawValue)
show("URLError.requestBodyStreamExhausted", URLError.requestBodyStreamExhausted.rawValue)
show("URLError.resourceUnavailable", URLError.resourceUnavailable.rawValue)
show("URLError.secureConnectionFailed", URLError.secureConnectionFailed.rawValue)
show("URLError.serverCertificateHasBadDate", URLError.serverCertificateHasBadDate.rawValue)
show("URLError.serverCertificateHasUnknownRoot", URLError.serverCertificateHasUnknownRoot.rawValue)
show("URLError.serverCertificateNotYetValid", URLError.serverCertificateNotYetValid.rawValue)
show("URLError.serverCertificateUntrusted", URLError.serverCertificateUntrusted.rawValue)
show("URLError.timedOut", URLError.timedOut.rawValue)
show("URLError.unknown", URLError.unknown.rawValue)
show("URLError.unsupportedURL", URLError.unsupportedURL.rawValue)
show("URLError.userAuthenticationRequired", URLError.userAuthenticationRequired.rawValue)
show("URLError.userCancelledAuthentication", URLError.userCancelledAuthentication.rawValue)
show("URLError.zeroByteResource", URLError.zeroByteResource.rawValue)
show(
    "URLError.Code.appTransportSecurityRequiresSecureConnection",
    URLError.Code.appTransportSecurityRequiresSecureConnection.rawValue)
show(
    "URLError.Code.backgroundSessionInUseByAnotherProcess",
    URLError.Code.backgroundSessionInUseByAnotherProcess.rawValue)
show(
    "URLError.Code.backgroundSessionRequiresSharedContainer",
    URLError.Code.backgroundSessionRequiresSharedContainer.rawValue)
show("URLError.Code.backgroundSessionWasDisconnected", URLError.Code.backgroundSessionWasDisconnected.rawValue)
show("URLError.Code.badServerResponse", URLError.Code.badServerResponse.rawValue)
show("URLError.Code.badURL", URLError.Code.badURL.rawValue)
show("URLError.Code.callIsActive", URLError.Code.callIsActive.rawValue)
show("URLError.Code.cancelled", URLError.Code.cancelled.rawValue)
show("URLError.Code.cannotCloseFile", URLError.Code.cannotCloseFile.rawValue)
show("URLError.Code.cannotConnectToHost", URLError.Code.cannotConnectToHost.rawValue)
show("URLError.Code.cannotCreateFile", URLError.Code.cannotCreateFile.rawValue)
show("URLError.Code.cannotDecodeContentData", URLError.Code.cannotDecodeContentData.rawValue)
show("URLError.Code.cannotDecodeRawData", URLError.Code.cannotDecodeRawData.rawValue)
show("URLError.Code.cannotFindHost", URLError.Code.cannotFindHost.rawValue)
show("URLError.Code.cannotLoadFromNetwork", URLError.Code.cannotLoadFromNetwork.rawValue)
show("URLError.Code.cannotMoveFile", URLError.Code.cannotMoveFile.rawValue)
show("URLError.Code.cannotOpenFile", URLError.Code.cannotOpenFile.rawValue)
show("URLError.Code.cannotParseResponse", URLError.Code.cannotParseResponse.rawValue)
show("URLError.Code.cannotRemoveFile", URLError.Code.cannotRemoveFile.rawValue)
show("URLError.Code.cannotWriteToFile", URLError.Code.cannotWriteToFile.rawValue)
show("URLError.Code.clientCertificateRejected", URLError.Code.clientCertificateRejected.rawValue)
show("URLError.Code.clientCertificateRequired", URLError.Code.clientCertificateRequired.rawValue)
show("URLError.Code.dataLengthExceedsMaximum", URLError.Code.dataLengthExceedsMaximum.rawValue)
show("URLError.Code.dataNotAllowed", URLError.Code.dataNotAllowed.rawValue)
show("URLError.Code.dnsLookupFailed", URLError.Code.dnsLookupFailed.rawValue)
show("URLError.Code.downloadDecodingFailedMidStream", URLError.Code.downloadDecodingFailedMidStream.rawValue)
show("URLError.Code.downloadDecodingFailedToComplete", URLError.Code.downloadDecodingFailedToComplete.rawValue)
show("URLError.Code.fileDoesNotExist", URLError.Code.fileDoesNotExist.rawValue)
show("URLError.Code.fileIsDirectory", URLError.Code.fileIsDirectory.rawValue)
show("URLError.Code.httpTooManyRedirects", URLError.Code.httpTooManyRedirects.rawValue)
show("URLError.Code.internationalRoamingOff", URLError.Code.internationalRoamingOff.rawValue)
show("URLError.Code.networkConnectionLost", URLError.Code.networkConnectionLost.rawValue)
show("URLError.Code.noPermissionsToReadFile", URLError.Code.noPermissionsToReadFile.rawValue)
show("URLError.Code.notConnectedToInternet", URLError.Code.notConnectedToInternet.rawValue)
show("URLError.Code.redirectToNonExistentLocation", URLError.Code.redirectToNonExistentLocation.rawValue)
show("URLError.Code.requestBodyStreamExhausted", URLError.Code.requestBodyStreamExhausted.rawValue)
show("URLError.Code.resourceUnavailable", URLError.Code.resourceUnavailable.rawValue)
show("URLError.Code.secureConnectionFailed", URLError.Code.secureConnectionFailed.rawValue)
show("URLError.Code.serverCertificateHasBadDate", URLError.Code.serverCertificateHasBadDate.rawValue)
show("URLError.Code.serverCertificateHasUnknownRoot", URLError.Code.serverCertificateHasUnknownRoot.rawValue)
show("URLError.Code.serverCertificateNotYetValid", URLError.Code.serverCertificateNotYetValid.rawValue)
show("URLError.Code.serverCertificateUntrusted", URLError.Code.serverCertificateUntrusted.rawValue)
show("URLError.Code.timedOut", URLError.Code.timedOut.rawValue)
show("URLError.Code.unknown", URLError.Code.unknown.rawValue)
show("URLError.Code.unsupportedURL", URLError.Code.unsupportedURL.rawValue)
show("URLError.Code.userAuthenticationRequired", URLError.Code.userAuthenticationRequired.rawValue)
show("URLError.Code.userCancelledAuthentication", URLError.Code.userCancelledAuthentication.rawValue)
show("URLError.Code.zeroByteResource", URLError.Code.zeroByteResource.rawValue)
show(
    "URLSession.AuthChallengeDisposition.cancelAuthenticationChallenge",
    URLSession.AuthChallengeDisposition.cancelAuthenticationChallenge.rawValue)
show(
    "URLSession.AuthChallengeDisposition.performDefaultHandling",
    URLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
show(
    "URLSession.AuthChallengeDisposition.rejectProtectionSpace",
    URLSession.AuthChallengeDisposition.rejectProtectionSpace.rawValue)
show("URLSession.AuthChallengeDisposition.useCredential", URLSession.AuthChallengeDisposition.useCredential.rawValue)
show("URLSession.ResponseDisposition.allow", URLSession.ResponseDisposition.allow.rawValue)
show("URLSession.ResponseDisposition.becomeDownload", URLSession.ResponseDisposition.becomeDownload.rawValue)
show("URLSession.ResponseDisposition.cancel", URLSession.ResponseDisposition.cancel.rawValue)
show("URLSessionTask.State.canceling", URLSessionTask.State.canceling.rawValue)
show("URLSessionTask.State.completed", URLSessionTask.State.completed.rawValue)
show("URLSessionTask.State.running", URLSessionTask.State.running.rawValue)
show("URLSessionTask.State.suspended", URLSessionTask.State.suspended.rawValue)
show(
    "URLSessionTaskMetrics.DomainResolutionProtocol.https",
    URLSessionTaskMetrics.DomainResolutionProtocol.https.rawValue)
show("URLSessionTaskMetrics.DomainResolutionProtocol.tcp", URLSessionTaskMetrics.DomainResolutionProtocol.tcp.rawValue)
show("URLSessionTaskMetrics.DomainResolutionProtocol.tls", URLSessionTaskMetrics.DomainResolutionProtocol.tls.rawValue)
show("URLSessionTaskMetrics.DomainResolutionProtocol.udp", URLSessionTaskMetrics.DomainResolutionProtocol.udp.rawValue)
show(
    "URLSessionTaskMetrics.DomainResolutionProtocol.unknown",
    URLSessionTaskMetrics.DomainResolutionProtocol.unknown.rawValue)
show("URLSessionTaskMetrics.ResourceFetchType.localCache", URLSessionTaskMetrics.ResourceFetchType.localCache.rawValue)
show(
    "URLSessionTaskMetrics.ResourceFetchType.networkLoad", URLSessionTaskMetrics.ResourceFetchType.networkLoad.rawValue)
show("URLSessionTaskMetrics.ResourceFetchType.serverPush", URLSessionTaskMetrics.ResourceFetchType.serverPush.rawValue)
show("URLSessionTaskMetrics.ResourceFetchType.unknown", URLSessionTaskMetrics.ResourceFetchType.unknown.rawValue)
show("NSURLRequest.CachePolicy.reloadIgnoringCacheData", NSURLRequest.CachePolicy.reloadIgnoringCacheData.rawValue)
show(
    "NSURLRequest.CachePolicy.reloadIgnoringLocalCacheData",
    NSURLRequest.CachePolicy.reloadIgnoringLocalCacheData.rawValue)
show(
    "NSURLRequest.CachePolicy.reloadRevalidatingCacheData",
    NSURLRequest.CachePolicy.reloadRevalidatingCacheData.rawValue)
show("NSURLRequest.CachePolicy.useProtocolCachePolicy", NSURLRequest.CachePolicy.useProtocolCachePolicy.rawValue)
show("NSURLRequest.NetworkServiceType.background", NSURLRequest.NetworkServiceType.background.rawValue)
show("NSURLRequest.NetworkServiceType.default", NSURLRequest.NetworkServiceType.default.rawValue)
show("NSURLRequest.NetworkServiceType.video", NSURLRequest.NetworkServiceType.video.rawValue)
show("NSURLRequest.NetworkServiceType.voice", NSURLRequest.NetworkServiceType.voice.rawValue)
show("NSURLRequest.NetworkServiceType.voip", NSURLRequest.NetworkServiceType.voip.rawValue)
show("URLCache.StoragePolicy.allowed", URLCache.StoragePolicy.allowed.rawValue)
show("URLCache.StoragePolicy.allowedInMemoryOnly", URLCache.StoragePolicy.allowedInMemoryOnly.rawValue)
show("URLCache.StoragePolicy.notAllowed", URLCache.StoragePolicy.notAllowed.rawValue)
show("HTTPCookie.AcceptPolicy.always", HTTPCookie.AcceptPolicy.always.rawValue)
show("HTTPCookie.AcceptPolicy.never", HTTPCookie.AcceptPolicy.never.rawValue)
show("HTTPCookie.AcceptPolicy.onlyFromMainDocumentDomain", HTTPCookie.AcceptPolicy.onlyFromMainDocumentDomain.rawValue)
show("HTTPCookiePropertyKey.comment", HTTPCookiePropertyKey.comment.rawValue)
show("HTTPCookiePropertyKey.commentURL", HTTPCookiePropertyKey.commentURL.rawValue)
show("HTTPCookiePropertyKey.discard", HTTPCookiePropertyKey.discard.rawValue)
show("HTTPCookiePropertyKey.domain", HTTPCookiePropertyKey.domain.rawValue)
show("HTTPCookiePropertyKey.expires", HTTPCookiePropertyKey.expires.rawValue)
show("HTTPCookiePropertyKey.maximumAge", HTTPCookiePropertyKey.maximumAge.rawValue)
show("HTTPCookiePropertyKey.name", HTTPCookiePropertyKey.name.rawValue)
show("HTTPCookiePropertyKey.originURL", HTTPCookiePropertyKey.originURL.rawValue)
show("HTTPCookiePropertyKey.path", HTTPCookiePropertyKey.path.rawValue)
show("HTTPCookiePropertyKey.port", HTTPCookiePropertyKey.port.rawValue)
show("HTTPCookiePropertyKey.secure", HTTPCookiePropertyKey.secure.rawValue)
show("HTTPCookiePropertyKey.value", HTTPCookiePropertyKey.value.rawValue)
show("HTTPCookiePropertyKey.version", HTTPCookiePropertyKey.version.rawValue)
show("URLCredential.Persistence.forSession", URLCredential.Persistence.forSession.rawValue)
show("URLCredential.Persistence.none", URLCredential.Persistence.none.rawValue)
show("URLCredential.Persistence.permanent", URLCredential.Persistence.permanent.rawValue)
show("URLCredential.Persistence.synchronizable", URLCredential.Persistence.synchronizable.rawValue)
show("URLSession.AuthChallengeDisposition", (0...5).map { URLSession.AuthChallengeDisposition(rawValue: $0)?.rawValue })
show("URLSession.AuthChallengeDisposition.init(rawValue:)", URLSession.AuthChallengeDisposition(rawValue: 1))
show("URLSession.DelayedRequestDisposition", [URLSession.DelayedRequestDisposition.cancel == .cancel])
show("URLSession.DelayedRequestDisposition.cancel", URLSession.DelayedRequestDisposition.cancel)
show("URLSession.DelayedRequestDisposition.continueLoading", URLSession.DelayedRequestDisposition.continueLoading)
show("URLSession.DelayedRequestDisposition.useNewRequest", URLSession.DelayedRequestDisposition.useNewRequest)
show("URLSession.ResponseDisposition", (0...2).map { URLSession.ResponseDisposition(rawValue: $0)?.rawValue })
show("URLSession.ResponseDisposition.init(rawValue:)", URLSession.ResponseDisposition(rawValue: 1) == .allow)
show("URLSessionTask.State", (0...5).map { URLSessionTask.State(rawValue: $0)?.rawValue })
show("URLSessionTask.State.init(rawValue:)", URLSessionTask.State(rawValue: 1) == .suspended)
show("URLSessionTask.lowPriority", URLSessionTask.lowPriority)
show("URLSessionTask.defaultPriority", URLSessionTask.defaultPriority)
show("URLSessionTask.highPriority", URLSessionTask.highPriority)
show(
    "URLSessionTaskMetrics.DomainResolutionProtocol",
    (0...5).map { URLSessionTaskMetrics.DomainResolutionProtocol(rawValue: $0)?.rawValue })
show(
    "URLSessionTaskMetrics.DomainResolutionProtocol.init(rawValue:)",
    URLSessionTaskMetrics.DomainResolutionProtocol(rawValue: 2) == .tcp)
show(
    "URLSessionTaskMetrics.ResourceFetchType",
    (0...4).map { URLSessionTaskMetrics.ResourceFetchType(rawValue: $0)?.rawValue })
show(
    "URLSessionTaskMetrics.ResourceFetchType.init(rawValue:)",
    URLSessionTaskMetrics.ResourceFetchType(rawValue: 2) == .serverPush)
show("URLRequest.CachePolicy", URLRequest.CachePolicy.reloadRevalidatingCacheData.rawValue)
show("URLRequest.NetworkServiceType", URLRequest.NetworkServiceType.voice.rawValue)
show("URLRequest.ReferenceType", URLRequest.ReferenceType.self == NSURLRequest.self)
show("NSURLRequest.CachePolicy", (0...6).map { NSURLRequest.CachePolicy(rawValue: $0)?.rawValue })
show("NSURLRequest.CachePolicy.init(rawValue:)", NSURLRequest.CachePolicy(rawValue: 1) == .reloadIgnoringCacheData)
show("NSURLRequest.NetworkServiceType", (0...4).map { NSURLRequest.NetworkServiceType(rawValue: $0)?.rawValue })
show("NSURLRequest.NetworkServiceType.init(rawValue:)", NSURLRequest.NetworkServiceType(rawValue: 3) == .background)
show("URLCache.StoragePolicy", (0...3).map { URLCache.StoragePolicy(rawValue: $0)?.rawValue })
show("URLCache.StoragePolicy.init(rawValue:)", URLCache.StoragePolicy(rawValue: 2) == .notAllowed)
show("HTTPCookie.AcceptPolicy", (0...3).map { HTTPCookie.AcceptPolicy(rawValue: $0)?.rawValue })
show("HTTPCookie.AcceptPolicy.init(rawValue:)", HTTPCookie.AcceptPolicy(rawValue: 1) == .never)
show("URLSessionWebSocketTask.CloseCode.abnormalClosure", URLSessionWebSocketTask.CloseCode.abnormalClosure.rawValue)
show("URLSessionWebSocketTask.CloseCode.goingAway", URLSessionWebSocketTask.CloseCode.goingAway.rawValue)
show(
    "URLSessionWebSocketTask.CloseCode.internalServerError",
    URLSessionWebSocketTask.CloseCode.internalServerError.rawValue)
show("URLSessionWebSocketTask.CloseCode.invalid", URLSessionWebSocketTask.CloseCode.invalid.rawValue)
show(
    "URLSessionWebSocketTask.CloseCode.invalidFramePayloadData",
    URLSessionWebSocketTask.CloseCode.invalidFramePayloadData.rawValue)
show(
    "URLSessionWebSocketTask.CloseCode.mandatoryExtensionMissing",
    URLSessionWebSocketTask.CloseCode.mandatoryExtensionMissing.rawValue)
show("URLSessionWebSocketTask.CloseCode.messageTooBig", URLSessionWebSocketTask.CloseCode.messageTooBig.rawValue)
show("URLSessionWebSocketTask.CloseCode.noStatusReceived", URLSessionWebSocketTask.CloseCode.noStatusReceived.rawValue)
show("URLSessionWebSocketTask.CloseCode.normalClosure", URLSessionWebSocketTask.CloseCode.normalClosure.rawValue)
show("URLSessionWebSocketTask.CloseCode.policyViolation", URLSessionWebSocketTask.CloseCode.policyViolation.rawValue)
show("URLSessionWebSocketTask.CloseCode.protocolError", URLSessionWebSocketTask.CloseCode.protocolError.rawValue)
show(
    "URLSessionWebSocketTask.CloseCode.tlsHandshakeFailure",
    URLSessionWebSocketTask.CloseCode.tlsHandshakeFailure.rawValue)
show("URLSessionWebSocketTask.CloseCode.unsupportedData", URLSessionWebSocketTask.CloseCode.unsupportedData.rawValue)
show(
    "URLSessionWebSocketTask.CloseCode", (999...1016).map { URLSessionWebSocketTask.CloseCode(rawValue: $0)?.rawValue })
show(
    "URLSessionWebSocketTask.CloseCode.init(rawValue:)", URLSessionWebSocketTask.CloseCode(rawValue: 1001) == .goingAway
)
let messages: [URLSessionWebSocketTask.Message] = [.data(Data([1, 2])), .string("text")]
show("URLSessionWebSocketTask.Message", messages.count)
for case .data(let data) in messages { show("URLSessionWebSocketTask.Message.data(_:)", data.count) }
for case .string(let text) in messages { show("URLSessionWebSocketTask.Message.string(_:)", text) }
show("HTTPCookiePropertyKey.init(_:)", HTTPCookiePropertyKey("Name") == .name)
show("HTTPCookiePropertyKey.init(rawValue:)", HTTPCookiePropertyKey(rawValue: "Path") == .path)
show("HTTPCookiePropertyKey.rawValue", HTTPCookiePropertyKey.port.rawValue)
show("URLCredential.Persistence", (0...4).map { URLCredential.Persistence(rawValue: $0)?.rawValue })
show("URLCredential.Persistence.init(rawValue:)", URLCredential.Persistence(rawValue: 1) == .forSession)

// Errors

let failure = URLError(.timedOut, userInfo: ["key": "value", NSURLErrorFailingURLErrorKey: base])
show("URLError.init(_:userInfo:)", failure.userInfo["key"])
show("URLError.code", failure.code.rawValue)
show("URLError.Code", URLError.Code.timedOut == failure.code)
show("URLError.Code.init(rawValue:)", URLError.Code(rawValue: -1001) == .timedOut)
do { throw failure } catch URLError.timedOut { show("URLError.Code.~=(_:_:)", true) } catch { show("URLError", error) }
show("URLError.==(_:_:)", [failure == failure, failure == URLError(.timedOut), failure == URLError(.badURL)])
show("URLError.errorCode", failure.errorCode)
show("URLError.errorDomain", URLError.errorDomain)
show("URLError.errorUserInfo", failure.errorUserInfo["key"])
show("URLError.failingURL", failure.failingURL)

show("URLError.userInfo", failure.userInfo.count)

// Requests

var request = URLRequest(url: base, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 7)
show("URLRequest.init(url:cachePolicy:timeoutInterval:)", [request.url, request.cachePolicy.rawValue])
request.setValue("a", forHTTPHeaderField: "X-A")
show("URLRequest.setValue(_:forHTTPHeaderField:)", request.allHTTPHeaderFields)
request.addValue("b", forHTTPHeaderField: "x-a")
show("URLRequest.addValue(_:forHTTPHeaderField:)", request.allHTTPHeaderFields)
show(
    "URLRequest.value(forHTTPHeaderField:)",
    [request.value(forHTTPHeaderField: "X-a"), request.value(forHTTPHeaderField: "B")])
show("URLRequest.httpMethod", request.httpMethod)
request.httpMethod = "put"
show("URLRequest.httpMethod", request.httpMethod)
request.httpMethod = nil
show("URLRequest.httpMethod", request.httpMethod)
request.httpBody = Data([1, 2])
show("URLRequest.httpBody", [request.httpBody, request.httpBodyStream])
request.httpBodyStream = InputStream(data: Data([3]))
show("URLRequest.httpBodyStream", [request.httpBody, request.httpBodyStream != nil])
show("URLRequest.allowsCellularAccess", request.allowsCellularAccess)
show("URLRequest.cachePolicy", URLRequest(url: base).cachePolicy.rawValue)
show("URLRequest.httpShouldHandleCookies", request.httpShouldHandleCookies)
show("URLRequest.httpShouldUsePipelining", request.httpShouldUsePipelining)
request.mainDocumentURL = url("main")
show("URLRequest.mainDocumentURL", request.mainDocumentURL)
show("URLRequest.networkServiceType", request.networkServiceType.rawValue)
show("URLRequest.timeoutInterval", [request.timeoutInterval, URLRequest(url: base).timeoutInterval])
request.url = url("other")
show("URLRequest.url", request.url)
show("URLRequest.hash(into:)", Set([URLRequest(url: base), URLRequest(url: base), request]).count)

func members(of request: NSURLRequest, _ name: String) {
    show("\(name).allowsCellularAccess", request.allowsCellularAccess)
    show("\(name).cachePolicy", request.cachePolicy.rawValue)
    show("\(name).httpBody", request.httpBody)
    show("\(name).httpBodyStream", request.httpBodyStream)
    show("\(name).httpMethod", request.httpMethod)
    show("\(name).httpShouldHandleCookies", request.httpShouldHandleCookies)
    show("\(name).httpShouldUsePipelining", request.httpShouldUsePipelining)
    show("\(name).mainDocumentURL", request.mainDocumentURL)
    show("\(name).networkServiceType", request.networkServiceType.rawValue)
    show("\(name).timeoutInterval", request.timeoutInterval)
    show("\(name).url", request.url)
}
let reference = NSURLRequest(url: base, cachePolicy: .reloadRevalidatingCacheData, timeoutInterval: 8)
show("NSURLRequest.init(url:)", NSURLRequest(url: base).url)
show(
    "NSURLRequest.init(url:cachePolicy:timeoutInterval:)", [reference.timeoutInterval, reference.cachePolicy.rawValue])
members(of: reference, "NSURLRequest")
show("NSURLRequest.copy(with:)", (reference.copy(with: nil) as? NSURLRequest)?.url)
show(
    "NSURLRequest.hash",
    reference.hash == NSURLRequest(url: base, cachePolicy: .reloadRevalidatingCacheData, timeoutInterval: 8).hash)
show("NSURLRequest.mutableCopy()", (reference.mutableCopy() as? NSMutableURLRequest)?.timeoutInterval)
show("NSURLRequest.mutableCopy(with:)", (reference.mutableCopy(with: nil) as? NSMutableURLRequest)?.url)
show("NSURLRequest.supportsSecureCoding", NSURLRequest.supportsSecureCoding)
show("NSURLRequest.value(forHTTPHeaderField:)", reference.value(forHTTPHeaderField: "A"))
let mutable = NSMutableURLRequest(url: base, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 9)
show("NSMutableURLRequest.init(url:)", NSMutableURLRequest(url: base).url)
show(
    "NSMutableURLRequest.init(url:cachePolicy:timeoutInterval:)",
    [mutable.timeoutInterval, mutable.cachePolicy.rawValue])
mutable.setValue("a", forHTTPHeaderField: "X-A")
show("NSMutableURLRequest.setValue(_:forHTTPHeaderField:)", mutable.allHTTPHeaderFields)
mutable.addValue("b", forHTTPHeaderField: "X-A")
show("NSMutableURLRequest.addValue(_:forHTTPHeaderField:)", mutable.allHTTPHeaderFields)
mutable.httpBody = Data([1])
(mutable.httpMethod, mutable.httpShouldHandleCookies, mutable.timeoutInterval) = ("POST", false, 3)
mutable.mainDocumentURL = url("main")
members(of: mutable, "NSMutableURLRequest")

// Responses

let fields = ["Content-Type": "text/html; charset=utf-8", "Content-Length": "5", "ETag": "1"]
let response = HTTPURLResponse(url: base, statusCode: 404, httpVersion: "HTTP/1.1", headerFields: fields)!
let plain = URLResponse(url: base, mimeType: "Text/Plain", expectedContentLength: 3, textEncodingName: "Latin1")
for response in [response, plain] as [URLResponse] {
    show("URLResponse.expectedContentLength", response.expectedContentLength)
    show("URLResponse.mimeType", response.mimeType)
    show("URLResponse.textEncodingName", response.textEncodingName)
    show("URLResponse.url", response.url)
    show("URLResponse.hash", (response.copy() as? URLResponse)?.hash == response.hash)
    show("URLResponse", [response is HTTPURLResponse, response == plain, (response as? HTTPURLResponse)?.statusCode])
}
show("HTTPURLResponse.statusCode", response.statusCode)
show("HTTPURLResponse.localizedString(forStatusCode:)", HTTPURLResponse.localizedString(forStatusCode: 404))
show(
    "HTTPURLResponse.value(forHTTPHeaderField:)",
    [response.value(forHTTPHeaderField: "etag"), response.value(forHTTPHeaderField: "A")])
show("HTTPURLResponse.allHeaderFields", response.allHeaderFields.map { "\($0)=\($1)" }.sorted())

let stored = CachedURLResponse(
    response: response, data: Data("hello".utf8), userInfo: ["a": 1], storagePolicy: .notAllowed)
let storable = CachedURLResponse(response: response, data: Data("hello".utf8))
show("CachedURLResponse.init(response:data:)", [storable.storagePolicy.rawValue, storable.userInfo])
show("CachedURLResponse.init(response:data:userInfo:storagePolicy:)", stored.storagePolicy.rawValue)
show("CachedURLResponse.copy()", (stored.copy() as? CachedURLResponse)?.data)
show("CachedURLResponse.copy(with:)", (stored.copy(with: nil) as? CachedURLResponse) == stored)
show("CachedURLResponse.data", stored.data)
show("CachedURLResponse.hash", stored.hash == (stored.copy() as? CachedURLResponse)?.hash)
show("CachedURLResponse.isEqual(_:)", [stored.isEqual(stored), stored.isEqual(storable), stored.isEqual(nil)])
show("CachedURLResponse.response", (stored.response as? HTTPURLResponse)?.statusCode)
show("CachedURLResponse.storagePolicy", stored.storagePolicy.rawValue)
show("CachedURLResponse.userInfo", stored.userInfo?["a"])

// Cookies

let cookie = HTTPCookie(properties: [
    .name: "a", .value: "b", .domain: "127.0.0.1", .path: "/", .version: "1", .comment: "c", .port: "80,8080",
    .commentURL: url("comment"), .secure: "TRUE", .expires: Date(timeIntervalSince1970: 4_000_000_000),
])!
show("HTTPCookie.comment", cookie.comment)
show("HTTPCookie.commentURL", cookie.commentURL)
show("HTTPCookie.domain", cookie.domain)
show("HTTPCookie.expiresDate", cookie.expiresDate?.timeIntervalSince1970)
show("HTTPCookie.isHTTPOnly", cookie.isHTTPOnly)
show("HTTPCookie.isSecure", cookie.isSecure)
show("HTTPCookie.name", cookie.name)
show("HTTPCookie.path", cookie.path)
show("HTTPCookie.portList", cookie.portList)
show("HTTPCookie.requestHeaderFields(with:)", HTTPCookie.requestHeaderFields(with: [cookie, cookie]))
show("HTTPCookie.value", cookie.value)
show("HTTPCookie.version", cookie.version)
let storage = URLSessionConfiguration.ephemeral.httpCookieStorage!
func names() -> [String] { (storage.cookies ?? []).map(\.name).sorted() }
storage.setCookie(cookie)
show("HTTPCookieStorage.setCookie(_:)", names())
storage.setCookies(
    HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": "c=d"], for: base), for: base, mainDocumentURL: nil)
show("HTTPCookieStorage.setCookies(_:for:mainDocumentURL:)", names())
show("HTTPCookieStorage.cookies", storage.cookies?.count)
show("HTTPCookieStorage.cookies(for:)", storage.cookies(for: base)?.map(\.name).sorted())
show("HTTPCookieStorage.sortedCookies(using:)", storage.sortedCookies(using: [NSSortDescriptor]()).count)
storage.deleteCookie(cookie)
show("HTTPCookieStorage.deleteCookie(_:)", names())
storage.removeCookies(since: Date(timeIntervalSince1970: 0))
show("HTTPCookieStorage.removeCookies(since:)", names())
show("HTTPCookieStorage.cookieAcceptPolicy", storage.cookieAcceptPolicy.rawValue)
show("HTTPCookieStorage.shared", HTTPCookieStorage.shared === HTTPCookieStorage.shared)

// Credentials

let credential = URLCredential(user: "ada", password: "secret", persistence: .forSession)
show("URLCredential.init(user:password:persistence:)", credential.persistence.rawValue)
show("URLCredential.copy()", (credential.copy() as? URLCredential)?.user)
show("URLCredential.copy(with:)", (credential.copy(with: nil) as? URLCredential)?.user)
show(
    "URLCredential.hasPassword",
    [credential.hasPassword, URLCredential(user: "a", password: "", persistence: .none).hasPassword])
show("URLCredential.isEqual(_:)", [credential.isEqual(credential), credential.isEqual(nil)])
show("URLCredential.password", credential.password)
show("URLCredential.persistence", credential.persistence.rawValue)
show("URLCredential.user", credential.user)
let space = URLProtectionSpace(
    host: "h", port: 80, protocol: "http", realm: "r", authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
let proxy = URLProtectionSpace(
    proxyHost: "p", port: 3128, type: NSURLProtectionSpaceHTTPProxy, realm: nil, authenticationMethod: nil)
show("URLProtectionSpace.init(host:port:protocol:realm:authenticationMethod:)", space.host)
show("URLProtectionSpace.init(proxyHost:port:type:realm:authenticationMethod:)", proxy.host)
for space in [space, proxy] {
    show("URLProtectionSpace.authenticationMethod", space.authenticationMethod)
    show("URLProtectionSpace.copy()", (space.copy() as? URLProtectionSpace)?.host)
    show("URLProtectionSpace.copy(with:)", (space.copy(with: nil) as? URLProtectionSpace) == space)
    show("URLProtectionSpace.distinguishedNames", space.distinguishedNames)
    show("URLProtectionSpace.host", space.host)
    show("URLProtectionSpace.isProxy()", space.isProxy())
    show("URLProtectionSpace.port", space.port)
    show("URLProtectionSpace.protocol", space.protocol)
    show("URLProtectionSpace.proxyType", space.proxyType)
    show("URLProtectionSpace.realm", space.realm)
    show("URLProtectionSpace.receivesCredentialSecurely", space.receivesCredentialSecurely)
}
let credentials = URLCredentialStorage()
show("URLCredentialStorage.init()", credentials.allCredentials.count)
show("URLCredentialStorage.shared", URLCredentialStorage.shared === URLCredentialStorage.shared)
credentials.set(credential, for: space)
show("URLCredentialStorage.set(_:for:)", credentials.credentials(for: space)?.keys.sorted())
show("URLCredentialStorage.credentials(for:)", credentials.credentials(for: proxy)?.count)
show("URLCredentialStorage.defaultCredential(for:)", credentials.defaultCredential(for: space)?.user)
credentials.setDefaultCredential(credential, for: space)
show("URLCredentialStorage.setDefaultCredential(_:for:)", credentials.defaultCredential(for: space)?.user)
show("URLCredentialStorage.allCredentials", credentials.allCredentials.count)
let someTask = URLSession.shared.dataTask(with: base)
credentials.set(URLCredential(user: "b", password: "c", persistence: .forSession), for: space, task: someTask)
show("URLCredentialStorage.set(_:for:task:)", credentials.credentials(for: space)?.keys.sorted())
credentials.setDefaultCredential(credential, for: proxy, task: someTask)
show("URLCredentialStorage.setDefaultCredential(_:for:task:)", credentials.defaultCredential(for: proxy)?.user)
credentials.getCredentials(for: space, task: someTask) {
    show("URLCredentialStorage.getCredentials(for:task:completionHandler:)", $0?.count)
}
credentials.getDefaultCredential(for: space, task: someTask) {
    show("URLCredentialStorage.getDefaultCredential(for:task:completionHandler:)", $0?.user)
}
credentials.remove(credential, for: space)
show("URLCredentialStorage.remove(_:for:)", credentials.credentials(for: space)?.keys.sorted())
credentials.remove(URLCredential(user: "b", password: "c", persistence: .forSession), for: space, options: nil)
show("URLCredentialStorage.remove(_:for:options:)", credentials.credentials(for: space)?.count)
credentials.remove(credential, for: proxy, options: nil, task: someTask)
show("URLCredentialStorage.remove(_:for:options:task:)", credentials.credentials(for: proxy)?.count)

final class Sender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
        show("URLAuthenticationChallengeSender.use(_:for:)", credential.user)
    }
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {
        show("URLAuthenticationChallengeSender.continueWithoutCredential(for:)", challenge.previousFailureCount)
    }
    func cancel(_ challenge: URLAuthenticationChallenge) {
        show("URLAuthenticationChallengeSender.cancel(_:)", challenge.previousFailureCount)
    }
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {
        show("URLAuthenticationChallengeSender.performDefaultHandling(for:)", challenge.previousFailureCount)
    }
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {
        show("URLAuthenticationChallengeSender.rejectProtectionSpaceAndContinue(with:)", challenge.protectionSpace.host)
    }
}
let challenge = URLAuthenticationChallenge(
    protectionSpace: space, proposedCredential: credential, previousFailureCount: 2, failureResponse: response,
    error: failure, sender: Sender())
show(
    "URLAuthenticationChallenge.init(protectionSpace:proposedCredential:previousFailureCount:failureResponse:error:sender:)",
    challenge.sender != nil)
show("URLAuthenticationChallenge.error", (challenge.error as? URLError)?.code.rawValue)
show("URLAuthenticationChallenge.failureResponse", (challenge.failureResponse as? HTTPURLResponse)?.statusCode)
show("URLAuthenticationChallenge.previousFailureCount", challenge.previousFailureCount)
show("URLAuthenticationChallenge.proposedCredential", challenge.proposedCredential?.user)
show("URLAuthenticationChallenge.protectionSpace", challenge.protectionSpace.realm)
let again = URLAuthenticationChallenge(authenticationChallenge: challenge, sender: Sender())
show("URLAuthenticationChallenge.init(authenticationChallenge:sender:)", again.previousFailureCount)
challenge.sender?.use(credential, for: challenge)
challenge.sender?.continueWithoutCredential(for: challenge)
challenge.sender?.cancel(challenge)
challenge.sender?.performDefaultHandling(for: challenge)
challenge.sender?.rejectProtectionSpaceAndContinue(with: challenge)

// The cache, which FoundationNetworking fills in the background

let cache = URLCache(memoryCapacity: 100_000, diskCapacity: 0, diskPath: nil)
show("URLCache.init(memoryCapacity:diskCapacity:diskPath:)", cache.currentDiskUsage)
show("URLCache.memoryCapacity", cache.memoryCapacity)
show("URLCache.diskCapacity", cache.diskCapacity)
show("URLCache.currentDiskUsage", cache.currentDiskUsage)
show("URLCache.currentMemoryUsage", cache.currentMemoryUsage)
let kept = CachedURLResponse(
    response: HTTPURLResponse(
        url: url("a"), statusCode: 200, httpVersion: "HTTP/1.1", headerFields: ["Cache-Control": "max-age=1000"])!,
    data: Data("kept".utf8))
cache.storeCachedResponse(kept, for: URLRequest(url: url("a")))
show("URLCache.storeCachedResponse(_:for:)", cache.cachedResponse(for: URLRequest(url: url("a")))?.data)
show("URLCache.cachedResponse(for:)", cache.cachedResponse(for: URLRequest(url: url("b")))?.data)
let askedCache = DispatchSemaphore(value: 0)
cache.getCachedResponse(for: URLSession.shared.dataTask(with: url("a"))) {
    show("URLCache.getCachedResponse(for:completionHandler:)", $0?.data)
    askedCache.signal()
}
askedCache.wait()
cache.removeCachedResponse(for: URLRequest(url: url("a")))
show("URLCache.removeCachedResponse(for:)", cache.cachedResponse(for: URLRequest(url: url("a")))?.data)
cache.storeCachedResponse(kept, for: URLRequest(url: url("a")))
cache.removeCachedResponses(since: Date(timeIntervalSince1970: 0))
show("URLCache.removeCachedResponses(since:)", cache.cachedResponse(for: URLRequest(url: url("a")))?.data)
cache.storeCachedResponse(kept, for: URLRequest(url: url("a")))
cache.removeAllCachedResponses()
show("URLCache.removeAllCachedResponses()", cache.cachedResponse(for: URLRequest(url: url("a")))?.data)

// Configurations

let configuration = URLSessionConfiguration.default
show("URLSessionConfiguration.init()", URLSessionConfiguration().timeoutIntervalForRequest)
show("URLSessionConfiguration.allowsCellularAccess", configuration.allowsCellularAccess)
show("URLSessionConfiguration.connectionProxyDictionary", configuration.connectionProxyDictionary)
show("URLSessionConfiguration.httpAdditionalHeaders", configuration.httpAdditionalHeaders)
show("URLSessionConfiguration.httpCookieStorage", configuration.httpCookieStorage === HTTPCookieStorage.shared)
show("URLSessionConfiguration.httpShouldSetCookies", configuration.httpShouldSetCookies)
show("URLSessionConfiguration.identifier", configuration.identifier)
show("URLSessionConfiguration.isDiscretionary", configuration.isDiscretionary)
show("URLSessionConfiguration.requestCachePolicy", configuration.requestCachePolicy.rawValue)
show("URLSessionConfiguration.sharedContainerIdentifier", configuration.sharedContainerIdentifier)
show("URLSessionConfiguration.shouldUseExtendedBackgroundIdleMode", configuration.shouldUseExtendedBackgroundIdleMode)
show("URLSessionConfiguration.timeoutIntervalForRequest", configuration.timeoutIntervalForRequest)
show("URLSessionConfiguration.urlCredentialStorage", configuration.urlCredentialStorage === URLCredentialStorage.shared)
configuration.httpAdditionalHeaders = ["X-A": "1"]
let copied = configuration.copy() as! URLSessionConfiguration
configuration.httpAdditionalHeaders = nil
show("URLSessionConfiguration.copy()", copied.httpAdditionalHeaders)
show("URLSessionConfiguration.copy(with:)", (copied.copy(with: nil) as? URLSessionConfiguration)?.httpAdditionalHeaders)

// Sessions, tasks and delegates

final class Delegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
    let ended = DispatchSemaphore(value: 0)
    nonisolated(unsafe) private var sent = false
    nonisolated(unsafe) private var wrote = false

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: Error?) {
        show("URLSessionDelegate.urlSession(_:didBecomeInvalidWithError:)", error)
        ended.signal()
    }
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        show("URLSessionTaskDelegate.urlSession(_:task:didCompleteWithError:)", (error as? URLError)?.code.rawValue)
        ended.signal()
    }
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        guard totalBytesSent == totalBytesExpectedToSend, !sent else { return }
        sent = true
        show(
            "URLSessionTaskDelegate.urlSession(_:task:didSendBodyData:totalBytesSent:totalBytesExpectedToSend:)",
            totalBytesSent)
    }
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) {
        show("URLSessionTaskDelegate.urlSession(_:task:needNewBodyStream:)", task.taskDescription)
        completionHandler(InputStream(data: Data("streamed".utf8)))
    }
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        show(
            "URLSessionTaskDelegate.urlSession(_:task:willPerformHTTPRedirection:newRequest:completionHandler:)",
            [response.statusCode, request.url?.path])
        completionHandler(nil)
    }
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.allow)
    }
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        show("URLSessionDataDelegate.urlSession(_:dataTask:didReceive:)", String(decoding: data, as: UTF8.self))
    }
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        show(
            "URLSessionDownloadDelegate.urlSession(_:downloadTask:didFinishDownloadingTo:)",
            (try? Data(contentsOf: location))?.count)
    }
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        guard totalBytesWritten == totalBytesExpectedToWrite, !wrote else { return }
        wrote = true
        show(
            "URLSessionDownloadDelegate.urlSession(_:downloadTask:didWriteData:totalBytesWritten:totalBytesExpectedToWrite:)",
            totalBytesWritten)
    }
}
let delegate = Delegate()
let queue = OperationQueue()
queue.maxConcurrentOperationCount = 1
let session = URLSession(configuration: copied, delegate: delegate, delegateQueue: queue)
show("URLSession.init(configuration:delegate:delegateQueue:)", session.delegate === delegate)
show("URLSession.delegate", session.delegate === delegate)
show("URLSession.delegateQueue", session.delegateQueue === queue)
show("URLSession.configuration", session.configuration.httpAdditionalHeaders)
session.sessionDescription = "mine"
show("URLSession.sessionDescription", session.sessionDescription)

func finish(_ task: URLSessionTask) {
    task.resume()
    delegate.ended.wait()
}
show("URLSessionTask.init()", URLSessionTask() is URLSessionDataTask)
let task = session.dataTask(with: url("whoami"))
show("URLSession.dataTask(with:)", task.state.rawValue)
show("URLSessionTask.taskIdentifier", session.dataTask(with: base).taskIdentifier > task.taskIdentifier)
task.taskDescription = "first"
show("URLSessionTask.taskDescription", task.taskDescription)
show("URLSessionTask.copy()", task.copy() as? URLSessionTask === task)
show("URLSessionTask.copy(with:)", task.copy(with: nil) as? URLSessionTask === task)
show("URLSessionTask.countOfBytesClientExpectsToReceive", task.countOfBytesClientExpectsToReceive)
show("URLSessionTask.countOfBytesClientExpectsToSend", task.countOfBytesClientExpectsToSend)
show("URLSessionTask.earliestBeginDate", task.earliestBeginDate)
show("URLSessionTask.response", task.response)
task.suspend()
show("URLSessionTask.suspend()", task.state.rawValue)
task.resume()
finish(task)
show("URLSessionTask.resume()", task.state == .suspended)
show("URLSessionTask.response", (task.response as? HTTPURLResponse)?.statusCode)
show("URLSessionTask.originalRequest", task.originalRequest?.url)
show("URLSessionTask.currentRequest", task.currentRequest?.url)
show("URLSessionTask.error", task.error)
show("URLSessionTask.countOfBytesSent", task.countOfBytesSent)
show("URLSessionTask.countOfBytesExpectedToSend", task.countOfBytesExpectedToSend)
finish(session.dataTask(with: url("moved")))
var post = URLRequest(url: url("received"))
post.httpMethod = "POST"
post.setValue("text/plain", forHTTPHeaderField: "Content-Type")
let upload = session.uploadTask(with: post, from: Data("posted".utf8))
finish(upload)
show("URLSession.uploadTask(with:from:)", (upload.response as? HTTPURLResponse)?.statusCode)
show("URLSessionTask.countOfBytesSent", upload.countOfBytesSent)
let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
try Data("of a file".utf8).write(to: file)
let uploadOfFile = session.uploadTask(with: post, fromFile: file)
finish(uploadOfFile)
try FileManager.default.removeItem(at: file)
show("URLSession.uploadTask(with:fromFile:)", (uploadOfFile.response as? HTTPURLResponse)?.statusCode)
let streamed = session.uploadTask(withStreamedRequest: post)
streamed.taskDescription = "streamed"
finish(streamed)
let download = session.downloadTask(with: url("prices.txt"))
finish(download)
show("URLSession.downloadTask(with:)", (download.response as? HTTPURLResponse)?.statusCode)
let cancelled = session.dataTask(with: base)
cancelled.cancel()
delegate.ended.wait()
show("URLSessionTask.cancel()", (cancelled.error as NSError?)?.code)
show("URLSessionTask.state", cancelled.state == .running)

let done = DispatchSemaphore(value: 0)
session.downloadTask(with: url("prices.txt")) { location, response, _ in
    show("URLSession.downloadTask(with:completionHandler:)", location.flatMap { try? Data(contentsOf: $0) })
    done.signal()
}.resume()
done.wait()
session.flush {
    show("URLSession.flush(completionHandler:)", true)
    done.signal()
}
done.wait()
let resetting = URLSession(configuration: .ephemeral)
show("URLSession.init(configuration:)", resetting.delegate == nil)
resetting.reset {
    show("URLSession.reset(completionHandler:)", true)
    done.signal()
}
done.wait()
resetting.finishTasksAndInvalidate()
let invalidated = Delegate()
let ending = URLSession(configuration: .ephemeral, delegate: invalidated, delegateQueue: nil)
ending.finishTasksAndInvalidate()
invalidated.ended.wait()
show("URLSession.finishTasksAndInvalidate()", true)
let last = URLSession(configuration: .ephemeral, delegate: invalidated, delegateQueue: nil)
last.invalidateAndCancel()
invalidated.ended.wait()
show("URLSession.invalidateAndCancel()", true)
Task {
    let (location, response) = try await URLSession.shared.download(from: url("prices.txt"))
    show(
        "URLSession.download(from:delegate:)",
        [try Data(contentsOf: location), (response as? HTTPURLResponse)?.statusCode])
    let (other, _) = try await URLSession.shared.download(for: URLRequest(url: url("prices.txt")))
    show("URLSession.download(for:delegate:)", try Data(contentsOf: other))
    done.signal()
}
done.wait()

// Protocol classes

final class Stub: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "stub" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        show("URLProtocol.request", request.url)
        show("URLProtocol.client", client != nil)
        show("URLProtocol.task", task != nil)
        show("URLProtocol.property(forKey:in:)", URLProtocol.property(forKey: "key", in: request))
        switch request.url?.host {
        case "cached":
            client?.urlProtocol(self, cachedResponseIsValid: kept)
            show("URLProtocolClient.urlProtocol(_:cachedResponseIsValid:)", true)
        case "failing": client?.urlProtocol(self, didFailWithError: failure)
        default:
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: Data("loaded".utf8))
            client?.urlProtocolDidFinishLoading(self)
        }
    }

    override func stopLoading() {}
}
let stub = Stub(request: URLRequest(url: base), cachedResponse: stored, client: nil)
show("URLProtocol.init(request:cachedResponse:client:)", [stub.cachedResponse != nil, stub.request.url])
let taskStub = Stub(task: someTask, cachedResponse: nil, client: nil)
show("URLProtocol.init(task:cachedResponse:client:)", [taskStub.task === someTask, taskStub.request.url])
let noted = NSMutableURLRequest(url: base)
URLProtocol.setProperty("value", forKey: "key", in: noted)
URLProtocol.removeProperty(forKey: "key", in: noted)
show("URLProtocol.removeProperty(forKey:in:)", URLProtocol.property(forKey: "key", in: noted as URLRequest))
show("URLProtocol.registerClass(_:)", URLProtocol.registerClass(Stub.self))
URLProtocol.unregisterClass(Stub.self)
show("URLProtocol.unregisterClass(_:)", true)
let stubbing = URLSessionConfiguration.ephemeral
stubbing.protocolClasses = [Stub.self]
let stubbed = URLSession(configuration: stubbing)
for host in ["loaded", "failing"] {
    stubbed.dataTask(with: URL(string: "stub://\(host)/")!) { data, response, error in
        let label = host == "failing" ? "didFailWithError:)" : "didLoad:)"
        show(
            "URLProtocolClient.urlProtocol(_:\(label)",
            [
                data.map { String(decoding: $0, as: UTF8.self) }, (response as? HTTPURLResponse)?.statusCode,
                (error as? URLError)?.code.rawValue,
            ])
        if host == "loaded" { show("URLProtocolClient.urlProtocolDidFinishLoading(_:)", true) }
        done.signal()
    }.resume()
    done.wait()
}
