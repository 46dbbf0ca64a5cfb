// SPDX-License-Identifier: Apache-2.0
// What FoundationNetworking prints stands here as the expected values.
import Foundation
import TernAlamofire
import TernTesting
import Testing

@Suite struct URLErrorThrowingTests {
    private let url = "http://example.com/a/b.txt?q=1"

    private func caught(_ body: () throws -> Void) -> (any Error)? {
        do { try body() } catch { return error }
        return nil
    }

    @Test func `a program throws an error with a code, and catches it by that`() throws {
        let error = caught { throw URLError(.badServerResponse) }
        #expect((error as? URLError)?.code == .badServerResponse)
        #expect((error as? URLError)?.errorCode == -1011)
        var path = ""
        do { throw URLError(.timedOut) } catch let error as URLError where error.code == .timedOut {
            path += "where \(error.errorCode)"
        } catch { path += "any" }
        do { throw URLError(.cannotFindHost) } catch URLError.cannotFindHost { path += " pattern" } catch {
            path += " any"
        }
        do { throw Foundation.URLError(.badURL) } catch URLError.badURL { path += " Foundation's" } catch {
            path += " any"
        }
        #expect(path == "where -1001 pattern Foundation's")
        #expect((try #require(error) as NSError).domain == NSURLErrorDomain && (error as NSError?)?.code == -1011)
        #expect(URLError.errorDomain == "NSURLErrorDomain" && URLError.timedOut == .timedOut)
    }

    @Test func `without a userInfo it says what Foundation's says`() {
        let error = URLError(.timedOut)
        #expect("\(error)" == #"Error Domain=NSURLErrorDomain Code=-1001 "(null)""#)
        #expect(error.localizedDescription == "The operation could not be completed. (NSURLErrorDomain error -1001.)")
        #expect((error as any Error).localizedDescription == error.localizedDescription)
        #expect(error.userInfo.isEmpty && error.failingURL == nil && error.failureURLString == nil)
        #expect(error.downloadTaskResumeData == nil && error.reason.kind == .program)
    }

    @Test func `a userInfo is kept as it is`() throws {
        let url = try #require(URL(string: url))
        let error = URLError(
            .badURL,
            userInfo: [
                NSURLErrorFailingURLErrorKey: url, "NSErrorFailingURLStringKey": "x",
                NSLocalizedDescriptionKey: "hello", NSURLSessionDownloadTaskResumeData: Data([1]),
            ])
        #expect(error.userInfo.count == 4 && error.localizedDescription == "hello")
        #expect(error.failingURL == url && error.failureURLString == "x")
        #expect(error.downloadTaskResumeData == Data([1]))
        #expect((error as NSError).userInfo[NSURLErrorFailingURLErrorKey] as? URL == url)
        #expect(URLError(.badURL, userInfo: [NSURLErrorFailingURLErrorKey: url]).failureURLString == nil)
    }

    @Test func `errors are equal if their code and userInfo are`() {
        #expect(URLError(.badURL) == URLError(.badURL) && URLError(.badURL) != URLError(.timedOut))
        #expect(URLError(.badURL, userInfo: ["a": 1]) == URLError(.badURL, userInfo: ["a": 1]))
        #expect(URLError(.badURL, userInfo: ["a": 1]) != URLError(.badURL))
        #expect(Set([URLError(.badURL), URLError(.badURL), URLError(.cancelled)]).count == 2)
    }

    @Test(arguments: [
        (URLError.Code.unknown, -1), (.cancelled, -999), (.badURL, -1000), (.unsupportedURL, -1002),
        (.networkConnectionLost, -1005), (.notConnectedToInternet, -1009), (.userAuthenticationRequired, -1013),
        (.cannotParseResponse, -1017), (.serverCertificateUntrusted, -1202), (.cannotMoveFile, -3005),
        (.backgroundSessionWasDisconnected, -997),
    ])
    func `a code keeps its number`(code: URLError.Code, number: Int) {
        #expect(URLError(code).errorCode == number && URLError(code).code == code)
    }

    @Test func `a session that follows URLSession says which URL failed`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.close] }
        let url = try origin.url("/cut?secret=1").asURL()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.value.followsURLSession = true
        let error = await #expect(throws: URLError.self) {
            _ = try await URLSession(configuration: configuration).data(from: url)
        }
        #expect(error?.failingURL == url && error?.failureURLString == url.absoluteString)
        #expect(error?.userInfo["NSErrorFailingURLStringKey"] as? String == url.absoluteString)
        #expect(!"\(try #require(error))".contains("secret"))
        let plain = await #expect(throws: URLError.self) { _ = try await Session().data(from: url) }
        #expect(plain?.failingURL?.path == "")
    }
}
