public import Foundation
public import TernEngine

/// Fetches the pages that one page links to, as a guest should: slowly, over few connections, by what robots.txt
/// allows, and only what has changed since the last run.
public struct PageCrawler: Sendable {
    private let session: Session

    /// - Parameter cacheFolder: keeps what was fetched; the next run asks whether it has changed.
    public init(cacheFolder: URL, requestsPerSecond: Double = 2) throws {
        var configuration = SessionConfiguration.default
        configuration.httpAdditionalHeaders["User-Agent"] = "polite-crawler/1.0"
        configuration.httpMaximumConnectionsPerHost = 2
        configuration.rateLimitPerHost = RateLimit(requestsPerSecond: requestsPerSecond)
        // A 429 and a 503 are tried again, when their Retry-After says.
        configuration.retryPolicy = .standard
        configuration.timeouts = Timeouts(connect: .seconds(3), idle: .seconds(10), total: .seconds(60))
        configuration.urlCache = try URLCache(diskCapacity: 64 << 20, folder: cacheFolder)
        session = Session(configuration: configuration)
    }

    /// Returns the text of `start` and of the pages below it that it links to, by URL. A page that cannot be fetched is
    /// an error in its place.
    public func pages(from start: URL) async throws -> [URL: Result<String, SessionError>] {
        let refused = try await refusedPaths(of: start)
        let first = try await text(of: start)
        var pages: [URL: Result<String, SessionError>] = [start: .success(first)]
        let links = Set(
            first.matches(of: /href="([^"#]+)"/).compactMap {
                URL(string: String($0.1), relativeTo: start)?.absoluteURL
            })
        await withTaskGroup { group in
            for link in links.subtracting([start])
            where link.host() == start.host() && !refused.contains(where: link.path().hasPrefix) {
                group.addTask { () async -> (URL, Result<String, SessionError>) in
                    do throws(SessionError) { return (link, .success(try await text(of: link))) } catch {
                        return (link, .failure(error))
                    }
                }
            }
            for await (link, page) in group { pages[link] = page }
        }
        return pages
    }

    private func text(of url: URL) async throws(SessionError) -> String {
        let (data, response) = try await session.data(from: url)
        try response.requireSuccess(data)
        return String(decoding: data, as: UTF8.self)
    }

    /// A site without robots.txt allows everything (RFC 9309 §2.3.1.3).
    private func refusedPaths(of site: URL) async throws(SessionError) -> [String] {
        guard let robots = URL(string: "/robots.txt", relativeTo: site) else { return [] }
        let (data, response) = try await session.data(from: robots)
        if (400..<500).contains(response.statusCode) { return [] }
        try response.requireSuccess(data)
        var (isForUs, refused) = (false, [String]())
        for line in String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            switch (parts.first?.lowercased(), parts.count > 1 ? parts[1] : "") {
            case ("user-agent", let agent): isForUs = agent == "*" || agent == "polite-crawler"
            case ("disallow", let path) where isForUs && !path.isEmpty: refused.append(path)
            default: break
            }
        }
        return refused
    }
}
