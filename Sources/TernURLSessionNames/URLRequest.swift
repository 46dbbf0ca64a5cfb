// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine
import TernFoundation

extension URLRequest {
    /// `NSURLRequest/NetworkServiceType`
    public typealias NetworkServiceType = NSURLRequest.NetworkServiceType
    /// `NSURLRequest/Attribution`
    public typealias Attribution = NSURLRequest.Attribution
    /// `NSURLRequest`
    public typealias ReferenceType = NSURLRequest

    /// Creates a GET request with the seconds without a byte after which it fails.
    public init(url: URL, timeoutInterval: TimeInterval) {
        self.init(url: url, cachePolicy: .useProtocolCachePolicy, timeoutInterval: timeoutInterval)
    }

    /// A stream with the body, which is sent once: in chunks, or with the request's `Content-Length`, which it must have. It
    /// belongs to the request from then on: nothing else may read it. Setting ``TernEngine/URLRequest/httpBody`` removes it.
    public var httpBodyStream: InputStream? {
        get { notes.stream.flatMap { $0.isSource(of: body) ? $0.stream : nil } }
        set {
            guard let newValue else {
                if httpBodyStream != nil { body = nil }
                return notes.stream = nil
            }
            // The program gives the stream up.
            nonisolated(unsafe) let stream = newValue
            let content = unsafe RequestBody.inputStream(stream)
            body = content
            notes.stream = BodyStreamReference(newValue, content)
        }
    }
}

// What is kept with a request, and has no effect: there is one kind of network here, and one kind of traffic.
extension URLRequest {
    /// The document that the request belongs to. Kept; the session's cookies do not depend on it.
    public var mainDocumentURL: URL? {
        get { notes.mainDocumentURL }
        set { notes.mainDocumentURL = newValue }
    }

    /// What the traffic is for. Kept, without effect.
    public var networkServiceType: NetworkServiceType {
        get { notes.networkServiceType }
        set { notes.networkServiceType = newValue }
    }

    /// Whether the request may go through a cellular network. Kept, without effect.
    public var allowsCellularAccess: Bool {
        get { notes.allowsCellularAccess }
        set { notes.allowsCellularAccess = newValue }
    }

    /// Whether the request may go through an expensive network. Kept, without effect.
    public var allowsExpensiveNetworkAccess: Bool {
        get { notes.allowsExpensiveNetworkAccess }
        set { notes.allowsExpensiveNetworkAccess = newValue }
    }

    /// Whether the request may go through a network in Low Data Mode. Kept, without effect.
    public var allowsConstrainedNetworkAccess: Bool {
        get { notes.allowsConstrainedNetworkAccess }
        set { notes.allowsConstrainedNetworkAccess = newValue }
    }

    /// Whether the request may be sent before the response to another. Kept, without effect: Tern does not pipeline.
    public var httpShouldUsePipelining: Bool {
        get { notes.usesPipelining }
        set { notes.usesPipelining = newValue }
    }

    /// Whether the server is expected to speak HTTP/3. Kept, without effect: Tern speaks HTTP/1.1.
    public var assumesHTTP3Capable: Bool {
        get { notes.assumesHTTP3 }
        set { notes.assumesHTTP3 = newValue }
    }

    /// Who has caused the request. Kept, without effect.
    public var attribution: Attribution {
        get { notes.attribution }
        set { notes.attribution = newValue }
    }

    /// Whether the host's name must be validated by DNSSEC. Kept, without effect: names are resolved by the system.
    public var requiresDNSSECValidation: Bool {
        get { notes.requiresDNSSEC }
        set { notes.requiresDNSSEC = newValue }
    }

    private var notes: RequestNotes {
        get { annex as? RequestNotes ?? RequestNotes() }
        set { annex = newValue == RequestNotes() ? nil : newValue }
    }

    fileprivate var comparedNotes: RequestNotes {
        var notes = notes
        notes.stream = nil
        return notes
    }
}

extension URLRequest: Hashable {
    /// Whether all that Foundation has of a request is equal: URL, method, header fields (in any order), body, policies,
    /// timeout and what is kept without effect. A stream is equal to itself.
    public static func == (left: URLRequest, right: URLRequest) -> Bool {
        left.url == right.url && left.httpMethod == right.httpMethod && left.cachePolicy == right.cachePolicy
            && left.httpShouldHandleCookies == right.httpShouldHandleCookies
            && left.timeoutInterval == right.timeoutInterval
            && (left.allHTTPHeaderFields ?? [:]) == (right.allHTTPHeaderFields ?? [:])
            && left.httpBody == right.httpBody && left.httpBodyStream === right.httpBodyStream
            && left.comparedNotes == right.comparedNotes
    }

    /// Hashes URL and method.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(url)
        hasher.combine(httpMethod)
    }
}

private struct RequestNotes: Sendable, Equatable {
    var mainDocumentURL: URL?
    var networkServiceType = NSURLRequest.NetworkServiceType.default
    var allowsCellularAccess = true
    var allowsExpensiveNetworkAccess = true
    var allowsConstrainedNetworkAccess = true
    var usesPipelining = true
    var assumesHTTP3 = false
    var attribution = NSURLRequest.Attribution.developer
    var requiresDNSSEC = false
    var stream: BodyStreamReference?
}

/// The stream that a body reads.
///
/// Unchecked, because the stream is not used here: a program that asks for it must not read it, as with URLSession.
private final class BodyStreamReference: Equatable, @unchecked Sendable {
    let stream: InputStream
    private let source: AnyObject?

    init(_ stream: InputStream, _ body: RequestBody) {
        self.stream = stream
        source = Self.source(of: body)
    }

    func isSource(of body: RequestBody?) -> Bool { source != nil && body.flatMap(Self.source) === source }

    private static func source(of body: RequestBody) -> AnyObject? {
        if case .once(let source, _) = body { source } else { nil }
    }

    static func == (left: BodyStreamReference, right: BodyStreamReference) -> Bool { left === right }
}
