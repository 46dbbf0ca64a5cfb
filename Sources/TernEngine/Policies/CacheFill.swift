// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1

/// Collects the content of a response that is stored when it is complete: in memory, and in a file once it is long. On
/// the reactor's thread.
final class CacheFill: ContentTee {
    private enum Content {
        case bytes([UInt8])
        case file(CacheFileWriter)
        /// It is too long, or cannot be written.
        case none
    }

    private let cache: URLCache
    private let head: ResponseHead
    private let query: CacheQuery
    private let requestTime: Int64
    private let responseTime: Int64
    /// The request was sent at this moment: what is removed later must not be stored.
    private let moment: UInt64
    private let url: URL?
    private let maximumCollectedLength: Int
    private var content = Content.bytes([])
    private var length: Int64 = 0
    /// Others wait for the response.
    private var flight: CacheFlight?

    init(
        _ cache: URLCache, _ head: ResponseHead, _ query: CacheQuery, requestTime: Int64, responseTime: Int64,
        since moment: UInt64, url: URL?, _ flight: CacheFlight?
    ) {
        self.moment = moment
        (self.cache, self.head, self.query, self.url, self.flight) = (cache, head, query, url, flight)
        (self.requestTime, self.responseTime) = (requestTime, responseTime)
        maximumCollectedLength = cache.maximumCollectedLength
    }

    func received(_ bytes: Span<UInt8>) {
        if bytes.isEmpty { return }
        length += Int64(bytes.count)
        do {
            switch content {
            case .bytes(var collected):
                content = .none
                if collected.count + bytes.count > maximumCollectedLength { return try spill(collected, bytes) }
                if collected.isEmpty, let length = head.contentLength, length <= maximumCollectedLength {
                    collected.reserveCapacity(length)
                }
                unsafe bytes.withUnsafeBufferPointer { unsafe collected.append(contentsOf: $0) }
                content = .bytes(collected)
            case .file(let writer): try writer.write(bytes)
            case .none: break
            }
        } catch {
            cache.failed(error)
            giveUp()
        }
    }

    private func spill(_ collected: [UInt8], _ bytes: Span<UInt8>) throws {
        guard let folder = cache.folder, length <= folder.maximumContentLength else { return giveUp() }
        let writer = try folder.makeContent()
        try writer.write(collected.span)
        try writer.write(bytes)
        content = .file(writer)
    }

    private func giveUp() {
        content = .none
        flight.take()?.end(.unstorable)
    }

    /// Others do not wait for a reader that does not read.
    func paused() { flight.take()?.end(.abandoned) }

    func ended(isComplete: Bool) -> CacheQuestion? {
        defer { content = .none }
        let collected: CollectedContent
        switch content {
        case .bytes(let bytes): collected = .bytes(bytes)
        case .file(let writer): collected = .file(writer)
        case .none: return nil
        }
        guard isComplete,
            let response = StoredResponse(
                head, answering: query, requestTime: requestTime, responseTime: responseTime, contentLength: length)
        else {
            flight = nil
            return nil
        }
        let (cache, query, moment, flight) = (cache, query, moment, flight.take())
        return CacheQuestion(
            proposal: CachedURLResponse(HTTPURLResponse(url: url, head: response.head), collected)
        ) { answer in
            cache.store(answer, in: response, answering: query, since: moment)
            flight?.end(answer == nil ? .unstorable : .stored)
        }
    }
}
