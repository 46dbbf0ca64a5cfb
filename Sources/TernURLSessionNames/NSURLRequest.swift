// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

/// A request as an object, for programs that keep one: `request as URLRequest` is its value. Not for use from several threads
/// at a time.
// swift-format-ignore: AlwaysUseLowerCamelCase
public class NSURLRequest: NSObject, NSCopying, NSMutableCopying, NSSecureCoding {
    /// ``TernEngine/URLRequest/CachePolicy-swift.enum``
    public typealias CachePolicy = URLRequest.CachePolicy

    /// What the traffic is for, which has no effect.
    public enum NetworkServiceType: UInt, Sendable, Hashable {
        /// Something usual.
        case `default`
        /// Voice over IP.
        case voip
        /// Video.
        case video
        /// What the user does not wait for.
        case background
        /// Voice.
        case voice
        /// What the user waits for.
        case responsiveData = 6
        /// Audio and video that is played as it arrives.
        case avStreaming = 8
        /// The same, and the user waits.
        case responsiveAV = 9
        /// The signals of a call.
        case callSignaling = 11

        /// ``voip``
        public static let networkServiceTypeCallSignaling = NetworkServiceType.callSignaling
    }

    /// Who has caused a request, which has no effect.
    public enum Attribution: UInt, Sendable, Hashable {
        /// The program.
        case developer
        /// The user.
        case user
    }

    /// The request as a value.
    var value: URLRequest

    init(_ value: URLRequest) { self.value = value }

    /// Whether an archive may be read that says which classes it has: true.
    public class var supportsSecureCoding: Bool { true }

    /// Creates the request of an archive; nil if there is none.
    public required init?(coder: NSCoder) {
        guard let url = coder.decodeObject(of: NSURL.self, forKey: "url") else { return nil }
        value = URLRequest(url: url as URL)
        value.httpMethod = coder.decodeObject(of: NSString.self, forKey: "method") as String?
        let fields = coder.decodeObject(of: [NSDictionary.self, NSString.self], forKey: "fields")
        value.allHTTPHeaderFields = fields as? [String: String]
        if let body = coder.decodeObject(of: NSData.self, forKey: "body") { value.httpBody = body as Data }
        value.cachePolicy =
            CachePolicy(rawValue: UInt(clamping: coder.decodeInteger(forKey: "policy"))) ?? .useProtocolCachePolicy
        value.timeoutInterval = coder.decodeDouble(forKey: "timeout")
        value.httpShouldHandleCookies = coder.decodeBool(forKey: "cookies")
        value.mainDocumentURL = coder.decodeObject(of: NSURL.self, forKey: "document") as URL?
    }

    /// Writes the request to an archive, with its fields and its body, but without a stream and without what has no effect.
    /// Nothing of a request without a URL.
    public func encode(with coder: NSCoder) {
        guard let url = value.url else { return }
        coder.encode(url as NSURL, forKey: "url")
        coder.encode(value.httpMethod as NSString?, forKey: "method")
        coder.encode(value.allHTTPHeaderFields as NSDictionary?, forKey: "fields")
        coder.encode(value.httpBody as NSData?, forKey: "body")
        coder.encode(Int(clamping: value.cachePolicy.rawValue), forKey: "policy")
        coder.encode(value.timeoutInterval, forKey: "timeout")
        coder.encode(value.httpShouldHandleCookies, forKey: "cookies")
        coder.encode(value.mainDocumentURL as NSURL?, forKey: "document")
    }

    /// Creates a GET request.
    public convenience init(url: URL) { self.init(URLRequest(url: url)) }

    /// Creates a GET request with a cache policy and the seconds without a byte after which it fails.
    public convenience init(url: URL, cachePolicy: CachePolicy, timeoutInterval: TimeInterval) {
        self.init(URLRequest(url: url, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval))
    }

    /// The value itself for a request that does not change, and a copy of one that does.
    public func copy(with zone: NSZone? = nil) -> Any { NSURLRequest(value) }

    /// A copy that can be changed.
    public func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableURLRequest(value) }

    /// Whether the values are equal.
    public override func isEqual(_ object: Any?) -> Bool { (object as? NSURLRequest)?.value == value }

    /// Of the value.
    public override var hash: Int { value.hashValue }

    /// As the value describes itself.
    public override var description: String { "<\(type(of: self))> { \(value) }" }

    /// ``TernEngine/URLRequest/url``
    public var url: URL? { value.url }
    /// ``TernEngine/URLRequest/httpMethod``
    public var httpMethod: String? { value.httpMethod }
    /// ``TernEngine/URLRequest/allHTTPHeaderFields``
    public var allHTTPHeaderFields: [String: String]? { value.allHTTPHeaderFields }
    /// ``TernEngine/URLRequest/httpBody``
    public var httpBody: Data? { value.httpBody }
    /// ``TernEngine/URLRequest/httpBodyStream``
    public var httpBodyStream: InputStream? { value.httpBodyStream }
    /// ``TernEngine/URLRequest/cachePolicy-swift.property``
    public var cachePolicy: CachePolicy { value.cachePolicy }
    /// ``TernEngine/URLRequest/timeoutInterval``
    public var timeoutInterval: TimeInterval { value.timeoutInterval }
    /// ``TernEngine/URLRequest/mainDocumentURL``
    public var mainDocumentURL: URL? { value.mainDocumentURL }
    /// ``TernEngine/URLRequest/networkServiceType``
    public var networkServiceType: NetworkServiceType { value.networkServiceType }
    /// ``TernEngine/URLRequest/allowsCellularAccess``
    public var allowsCellularAccess: Bool { value.allowsCellularAccess }
    /// ``TernEngine/URLRequest/httpShouldHandleCookies``
    public var httpShouldHandleCookies: Bool { value.httpShouldHandleCookies }
    /// ``TernEngine/URLRequest/httpShouldUsePipelining``
    public var httpShouldUsePipelining: Bool { value.httpShouldUsePipelining }

    /// ``TernEngine/URLRequest/value(forHTTPHeaderField:)``
    public func value(forHTTPHeaderField field: String) -> String? { value.value(forHTTPHeaderField: field) }
}

/// A request as an object that can be changed.
// swift-format-ignore: AlwaysUseLowerCamelCase
public final class NSMutableURLRequest: NSURLRequest {
    /// ``TernEngine/URLRequest/url``
    public override var url: URL? {
        get { value.url }
        set { value.url = newValue }
    }

    /// ``TernEngine/URLRequest/httpMethod``
    public override var httpMethod: String? {
        get { value.httpMethod }
        set { value.httpMethod = newValue }
    }

    /// ``TernEngine/URLRequest/allHTTPHeaderFields``
    public override var allHTTPHeaderFields: [String: String]? {
        get { value.allHTTPHeaderFields }
        set { value.allHTTPHeaderFields = newValue }
    }

    /// ``TernEngine/URLRequest/httpBody``
    public override var httpBody: Data? {
        get { value.httpBody }
        set { value.httpBody = newValue }
    }

    /// ``TernEngine/URLRequest/httpBodyStream``
    public override var httpBodyStream: InputStream? {
        get { value.httpBodyStream }
        set { value.httpBodyStream = newValue }
    }

    /// ``TernEngine/URLRequest/cachePolicy-swift.property``
    public override var cachePolicy: CachePolicy {
        get { value.cachePolicy }
        set { value.cachePolicy = newValue }
    }

    /// ``TernEngine/URLRequest/timeoutInterval``
    public override var timeoutInterval: TimeInterval {
        get { value.timeoutInterval }
        set { value.timeoutInterval = newValue }
    }

    /// ``TernEngine/URLRequest/mainDocumentURL``
    public override var mainDocumentURL: URL? {
        get { value.mainDocumentURL }
        set { value.mainDocumentURL = newValue }
    }

    /// ``TernEngine/URLRequest/networkServiceType``
    public override var networkServiceType: NetworkServiceType {
        get { value.networkServiceType }
        set { value.networkServiceType = newValue }
    }

    /// ``TernEngine/URLRequest/allowsCellularAccess``
    public override var allowsCellularAccess: Bool {
        get { value.allowsCellularAccess }
        set { value.allowsCellularAccess = newValue }
    }

    /// ``TernEngine/URLRequest/httpShouldHandleCookies``
    public override var httpShouldHandleCookies: Bool {
        get { value.httpShouldHandleCookies }
        set { value.httpShouldHandleCookies = newValue }
    }

    /// ``TernEngine/URLRequest/httpShouldUsePipelining``
    public override var httpShouldUsePipelining: Bool {
        get { value.httpShouldUsePipelining }
        set { value.httpShouldUsePipelining = newValue }
    }

    /// As the method of `URLRequest`.
    public func setValue(_ value: String?, forHTTPHeaderField field: String) {
        self.value.setValue(value, forHTTPHeaderField: field)
    }

    /// As the method of `URLRequest`.
    public func addValue(_ value: String, forHTTPHeaderField field: String) {
        self.value.addValue(value, forHTTPHeaderField: field)
    }
}

// `object as URLRequest` and `value as NSURLRequest`.
extension URLRequest: _ObjectiveCBridgeable {
    /// An object of the value.
    public func _bridgeToObjectiveC() -> NSURLRequest { NSURLRequest(self) }

    /// The value of an object.
    public static func _forceBridgeFromObjectiveC(_ source: NSURLRequest, result: inout URLRequest?) {
        result = source.value
    }

    /// The value of an object.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSURLRequest, result: inout URLRequest?) -> Bool {
        result = source.value
        return true
    }

    /// The value of an object; a request without a URL for none.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSURLRequest?) -> URLRequest {
        source?.value ?? URLRequest(withoutURL: ())
    }
}
