// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernAlamofire
import Testing

/// Call sites as apps have them that were written for AFNetworking, and for a URLSession beside it.
@Suite struct AFNetworking {
    @Test func `a manager is made with a configuration of URLSession's`() async {
        let configuration = URLSessionConfiguration.default
        configuration.timeoutIntervalForRequest = 7
        let manager = AFURLSessionManager(sessionConfiguration: configuration)
        manager.securityPolicy = AFSecurityPolicy.default()
        #expect(manager.sessionConfiguration.timeoutIntervalForRequest == 7)
        #expect(manager.securityPolicy.sslPinningMode == .none)
        #expect(AFURLSessionManager(sessionConfiguration: .default).sessionConfiguration !== configuration)
    }

    @Test func `the operation queue runs one operation at a time, where the manager delivers its events`() async {
        let manager = AFURLSessionManager(sessionConfiguration: .default)
        let key = DispatchSpecificKey<Int>()
        manager.queue.setSpecific(key: key, value: 7)
        let queue = manager.operationQueue
        #expect(queue.maxConcurrentOperationCount == 1)
        let value: Int? = await withCheckedContinuation { continuation in
            queue.addOperation { continuation.resume(returning: DispatchQueue.getSpecific(key: key)) }
        }
        #expect(value == 7)
    }

    @Test func `the oldest version of TLS is part of a configuration`() {
        let configuration = URLSessionConfiguration.default
        configuration.tlsMinimumSupportedProtocolVersion = .TLSv13
        #expect(configuration.value.tls.minimumVersion == .v1_3)
        let version: tls_protocol_version_t = SessionConfiguration.default.tlsMinimumSupportedProtocolVersion
        #expect(version == .TLSv12)
    }
}
