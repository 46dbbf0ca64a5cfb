// SPDX-License-Identifier: Apache-2.0
// In Swift 6, and with Foundation beside it, as a file may have it.
import Foundation
import TernAlamofire
import TernTesting
import Testing

@Suite struct URLSessionConfigurationTests {
    @Test func `configurations are references, and every one is a new one`() {
        let configuration = URLSessionConfiguration.ephemeral
        let same = configuration
        same.timeoutIntervalForRequest = 7
        #expect(configuration.timeoutIntervalForRequest == 7)
        #expect(URLSessionConfiguration.ephemeral.timeoutIntervalForRequest == 60)
        #expect(URLSessionConfiguration.default !== URLSessionConfiguration.default)
        let copy = configuration.copy() as? URLSessionConfiguration
        #expect(copy !== configuration && copy?.timeoutIntervalForRequest == 7)
        #expect(configuration.identifier == nil)
    }

    @available(*, deprecated)
    @Test func `requests of a background session fail`() async throws {
        let configuration = URLSessionConfiguration.background(withIdentifier: "org.example.background")
        #expect(configuration.identifier == "org.example.background")
        #expect((configuration.copy() as? URLSessionConfiguration)?.identifier == "org.example.background")
        let manager = SessionManager(configuration: configuration)
        let error: (any Error)? = await withCheckedContinuation { continuation in
            manager.request("http://127.0.0.1:9/").response { continuation.resume(returning: $0.error) }
        }
        guard case .request(.backgroundSession)? = (error as? SessionError)?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect("\(try #require(error))".contains("on Linux there are no background sessions"))
        #expect(
            (error as? SessionError)?.reason.kind == .backgroundSession
                && SessionError.Kind.backgroundSession.rawValue == "background-session")
        let stream = URLSession(configuration: configuration).streamTask(withHostName: "127.0.0.1", port: 9)
        stream.resume()
        await #expect(throws: SessionError.self) {
            _ = try await stream.readData(ofMinLength: 1, maxLength: 1, timeout: TimeInterval(5))
        }
        await #expect(throws: SessionError.self) {
            _ = try await URLSession(configuration: configuration).data(
                from: #require(URL(string: "http://127.0.0.1:9/")))
        }
    }

    @Test func `header fields come from any dictionary`() {
        let configuration = URLSessionConfiguration.default
        let noDate = Date(timeIntervalSince1970: .nan)
        configuration.httpAdditionalHeaders = ["X-Number": 7, "X-Text": "a", "X-Date": noDate]
        #expect(configuration.httpAdditionalHeaders?["X-Date"] as? String == "nan")
        #expect(configuration.httpAdditionalHeaders?["X-Number"] as? String == "7")
        #expect(configuration.value.httpAdditionalHeaders["X-Text"] == "a")
        configuration.httpAdditionalHeaders?["X-More"] = "b"
        #expect(configuration.httpAdditionalHeaders?.count == 4)
        configuration.httpAdditionalHeaders = nil
        #expect(configuration.httpAdditionalHeaders == nil && configuration.value.httpAdditionalHeaders.isEmpty)
    }

    @Test(
        arguments: [
            (nil, "*/*", "Tern"), (["X-A": "1"], "*/*", "Tern"), (["accept": "text/plain"], "text/plain", "Tern"),
            (["User-Agent": "Program", "Accept": ""], "", "Program"),
        ] as [([String: String]?, String, String)])
    func `what each request has stands behind what the program sets`(
        _ fields: [String: String]?, _ accept: String, _ agent: String
    ) async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let url = try #require(URL(string: origin.url()))
        let configuration = URLSessionConfiguration.default
        #expect(configuration.httpAdditionalHeaders == nil && URLSessionConfiguration().httpAdditionalHeaders == nil)
        configuration.httpAdditionalHeaders = fields
        let session = URLSession(configuration: configuration)
        #expect(session.configuration.httpAdditionalHeaders as? [String: String] == fields)
        let manager = SessionManager(configuration: configuration)
        _ = try await session.data(from: url)
        _ = await withCheckedContinuation { done in manager.request(url).response { done.resume(returning: $0) } }
        for request in origin.requests {
            #expect(request.value(of: "Accept") == accept && request.value(of: "User-Agent") == agent)
            #expect(request.value(of: "Accept-Encoding") != nil && request.value(of: "X-A") == fields?["X-A"])
        }
        #expect(origin.requests.count == 2)
    }

    @Test func `header fields of a session can be read as ever`() {
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = ["X-Text": "a"]
        let session = URLSession(configuration: configuration)
        #expect(session.configuration.httpAdditionalHeaders?["X-Text"] as? String == "a")
        configuration.httpAdditionalHeaders = nil
        #expect(URLSession(configuration: configuration).configuration.httpAdditionalHeaders == nil)
    }

    @Test func `a session has what its configuration says`() {
        let configuration = URLSessionConfiguration.default
        configuration.maximumQueuedRequestsPerHost = 3
        configuration.tls.minimumVersion = .v1_3
        let manager = SessionManager(configuration: configuration)
        #expect(manager.session.configuration.maximumQueuedRequestsPerHost == 3)
        let session = URLSession(configuration: configuration)
        #expect(session.configuration.tls.minimumVersion == .v1_3)
        configuration.maximumQueuedRequestsPerHost = 4
        #expect(session.configuration.maximumQueuedRequestsPerHost == 3)
    }

    @Test func `a manager of the default configuration is no question of which`() {
        #expect(SessionManager(configuration: .default).session.configuration.timeoutIntervalForRequest == 60)
    }

    @Test func `a session has a copy of its configuration`() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 7
        configuration.identifier = "a"
        configuration.isDiscretionary = true
        let session = URLSession(configuration: configuration)
        configuration.timeoutIntervalForRequest = 8
        let copy: URLSessionConfiguration = session.configuration
        #expect(copy.timeoutIntervalForRequest == 7 && copy.identifier == "a" && copy.isDiscretionary)
        copy.timeoutIntervalForRequest = 9
        #expect(session.configuration.timeoutIntervalForRequest == 7)
    }
}
