// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernEngine
import TernTesting
import TernURLSession
import Testing

@Suite struct URLSessionTaskMetricsTests {
    private final class Collector: NSObject, URLSessionTaskDelegate {
        let (all, collect) = AsyncStream<URLSessionTaskMetrics>.makeStream()

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
        ) {
            collect.yield(metrics)
        }
    }

    private func metrics(
        of origin: ScriptedOrigin, _ configuration: URLSessionConfiguration, times: Int
    ) async throws -> [URLSessionTaskMetrics] {
        let collector = Collector()
        let session = URLSession(configuration: configuration, delegate: collector, delegateQueue: nil)
        var (all, iterator) = ([URLSessionTaskMetrics](), collector.all.makeAsyncIterator())
        let url = try #require(URL(string: origin.url()))
        for _ in 0..<times {
            _ = try await session.data(from: url)
            if let metrics = await iterator.next() { all.append(metrics) }
        }
        return all
    }

    @Test func `a transaction has its dates in order, and its connection`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("text")] }
        let before = Date()
        let all = try await metrics(of: origin, .ephemeral, times: 2)
        let first = try #require(all.first?.transactionMetrics.first)
        let dates = [
            first.fetchStartDate, first.domainLookupStartDate, first.domainLookupEndDate, first.connectEndDate,
            first.requestStartDate, first.requestEndDate, first.responseStartDate, first.responseEndDate,
        ].compactMap { $0 }
        #expect(dates.count == 8)
        #expect(zip(dates, dates.dropFirst()).allSatisfy { $0 <= $1 })
        #expect((0..<1000).allSatisfy { _ in first.requestStartDate == dates[4] })
        #expect(try abs(#require(first.fetchStartDate).timeIntervalSince(before)) < 10)
        #expect(first.connectStartDate != nil && first.secureConnectionStartDate == nil)
        #expect(first.remoteAddress == "127.0.0.1" && first.localAddress == "127.0.0.1")
        #expect(first.remotePort == URL(string: origin.url())?.port.map(String.init) && first.localPort != nil)
        #expect(first.networkProtocolName == "http/1.1" && first.resourceFetchType == .networkLoad)
        #expect(!first.isReusedConnection && !first.isProxyConnection && !first.isCellular && !first.isMultipath)
        #expect(first.negotiatedTLSProtocolVersion == nil && first.negotiatedTLSCipherSuite == nil)
        #expect(try #require(all.first).taskInterval.duration >= 0 && all.first?.redirectCount == 0)
        let second = try #require(all.last?.transactionMetrics.first)
        #expect(second.isReusedConnection && second.connectStartDate == nil && second.requestStartDate != nil)
    }

    @Test func `a transaction over TLS has its version and its cipher suite`() async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: authority.issue()) { _, _ in [.ok()] }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.value.tls.anchors = .only([try X509Certificate(pem: authority.certificatePEM)])
        let metrics = try await metrics(of: origin, configuration, times: 1)
        let transaction = try #require(metrics.first?.transactionMetrics.first)
        #expect(transaction.negotiatedTLSProtocolVersion == .TLSv13)
        let suites: [tls_ciphersuite_t?] = [.AES_128_GCM_SHA256, .AES_256_GCM_SHA384, .CHACHA20_POLY1305_SHA256]
        #expect(suites.contains(transaction.negotiatedTLSCipherSuite))
        let start = try #require(transaction.secureConnectionStartDate)
        #expect(try #require(transaction.secureConnectionEndDate).timeIntervalSince(start) > -0.001)
    }

    @Test func `cipher suites have the numbers of FoundationNetworking`() {
        #expect(tls_ciphersuite_t.AES_128_GCM_SHA256.rawValue == 4865)
        #expect(tls_ciphersuite_t(rawValue: 0xC02F) == .ECDHE_RSA_WITH_AES_128_GCM_SHA256)
    }

    @Test func `enumerations have the raw values of FoundationNetworking`() {
        #expect(URLSessionTaskMetrics.ResourceFetchType.localCache.rawValue == 3)
        #expect(URLSessionTaskMetrics.DomainResolutionProtocol.https.rawValue == 4)
        #expect(URLSession.AuthChallengeDisposition.cancelAuthenticationChallenge.rawValue == 2)
        #expect(URLSession.AuthChallengeDisposition.rejectProtectionSpace.rawValue == 3)
        #expect(URLSession.ResponseDisposition.cancel.rawValue == 0)
        #expect(URLSession.ResponseDisposition.becomeDownload.rawValue == 2)
        #expect(URLSessionTask.State.canceling.rawValue == 2 && URLSessionTask.State.completed.rawValue == 3)
    }
}
