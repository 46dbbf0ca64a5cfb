// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernHTTP1

/// A response with its body, as a cache stores it, with the members of Foundation's class.
public struct CachedURLResponse: Sendable {
    private enum Body: Sendable {
        case data(Data)
        /// As received.
        case content(any CachedContent)
        /// As a program has stored it.
        case stored(any CachedContent)
    }

    /// The response. Its ``HTTPURLResponse/isContentDecoded`` says whether ``data`` is decoded and its `Content-Encoding`
    /// is not.
    // Where a file imports TernURLSession as well, its declaration of the same name is meant.
    @_disfavoredOverload
    public let response: HTTPURLResponse
    /// Values of the program, kept in memory: a response that is read from a disk has none.
    public var userInfo: [AnyHashable: Any]? { information?.values }
    let information: CachedUserInfo?
    /// Where the response may be stored.
    public let storagePolicy: URLCache.StoragePolicy
    private let body: Body

    /// Creates a cached response.
    public init(
        response: HTTPURLResponse, data: Data, userInfo: [String: any Sendable]? = nil,
        storagePolicy: URLCache.StoragePolicy = .allowed
    ) {
        self.init(
            response: response, data: data, information: userInfo.map { CachedUserInfo($0) },
            storagePolicy: storagePolicy)
    }

    /// The same with values of any type.
    package init(
        response: HTTPURLResponse, data: Data, information: CachedUserInfo?, storagePolicy: URLCache.StoragePolicy
    ) {
        (self.response, self.information, self.storagePolicy) = (response, information, storagePolicy)
        body = .data(data)
    }

    /// With content as received, which is read when it is asked for.
    init(_ response: HTTPURLResponse, _ content: any CachedContent, _ information: CachedUserInfo? = nil) {
        var response = response
        // Marks the response as decoded.
        _ = ContentDecoding.decoding(of: &response, limits: Self.decodingLimits)
        (self.response, self.information, storagePolicy, body) = (response, information, .allowed, .content(content))
    }

    /// What a program has stored, as it was.
    init(
        _ response: HTTPURLResponse, stored content: any CachedContent, _ information: CachedUserInfo?,
        _ policy: URLCache.StoragePolicy
    ) {
        (self.response, self.information, storagePolicy, body) = (response, information, policy, .stored(content))
    }

    /// The whole body, decoded; that of a program as it was stored. Blocks while it is read from a disk, which every
    /// access does. Empty if it cannot be read, or decoded.
    public var data: Data {
        switch body {
        case .data(let data): data
        case .content(let content): Self.decoded(content, of: response)
        case .stored(let content): (try? content.readAll()).map { Data($0) } ?? Data()
        }
    }

    /// A body that grows beyond this is not decoded here.
    private static let decodingLimits: ContentDecodingLimits = {
        var limits = ContentDecodingLimits()
        limits.maximumDecodedSize = 64 * 1024 * 1024
        return limits
    }()

    private static func decoded(_ content: any CachedContent, of response: HTTPURLResponse) -> Data {
        guard let bytes = try? content.readAll() else { return Data() }
        var response = response
        response.isContentDecoded = false
        guard var decoding = ContentDecoding.decoding(of: &response, limits: decodingLimits) else { return Data(bytes) }
        var decoded = Data()
        do {
            var rest = bytes[...]
            repeat {
                let taken = try decoding.receive(rest.span) { piece, _ in
                    unsafe piece.withUnsafeBytes { unsafe decoded.append(contentsOf: $0) }
                    return true
                }
                rest = rest.dropFirst(taken)
            } while !rest.isEmpty || decoding.hasMore
            try decoding.finish()
        } catch { return Data() }
        return decoded
    }

    /// The content as received, if the program has not replaced it.
    var received: (any CachedContent)? { if case .content(let content) = body { content } else { nil } }

    /// The response as a cache stores it, if it is stored with ``data``.
    var given: GivenResponse {
        GivenResponse(
            url: response.url, head: response.head, isDecoded: response.isContentDecoded,
            isInMemoryOnly: storagePolicy == .allowedInMemoryOnly)
    }
}

/// What a program keeps with a stored response. It hands its values to the threads of the cache, which only carry them, hence
/// `@unchecked Sendable`.
package struct CachedUserInfo: @unchecked Sendable {
    package let values: [AnyHashable: Any]

    package init(_ values: [AnyHashable: Any]) { self.values = values }
}

/// Content that can be read as a whole. Blocks for a disk.
protocol CachedContent: Sendable {
    func readAll() throws -> [UInt8]
}

extension CachedURLResponse: CustomStringConvertible {
    /// The response's description.
    public var description: String { response.description }
}

/// The question whether, and how, a complete response is stored. Answer it once, from any thread; without an answer it is
/// not stored.
public struct CacheQuestion: Sendable {
    /// What is stored if the answer is the same. Its ``CachedURLResponse/data`` are read when they are asked for.
    public let proposal: CachedURLResponse
    private let store: @Sendable (CachedURLResponse?) -> Void

    /// - Parameter store: receives the answer.
    package init(proposal: CachedURLResponse, store: @escaping @Sendable (CachedURLResponse?) -> Void) {
        (self.proposal, self.store) = (proposal, store)
    }

    /// Stores the proposed response, or another one; nil stores none.
    public func answer(_ response: CachedURLResponse?) { store(response) }
}
