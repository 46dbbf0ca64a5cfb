// SPDX-License-Identifier: Apache-2.0
// In Swift 6, and with Foundation beside it, as a file may have it.
import Foundation
import TernAlamofire
import TernTesting
import Testing

@Suite struct URLErrorTests {
    @Test func `what a request fails with is a URLError, whether Foundation is imported or not`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.close] }
        let error = try #require(
            await Alamofire.request(origin.url("/secret")).serializingData().response.error as? URLError)
        #expect(error.code == .networkConnectionLost)
        let code: URLError.Code = error.code
        #expect(code.rawValue == NSURLErrorNetworkConnectionLost && error.errorCode == code.rawValue)
        #expect(error.failureURLString == origin.url("").description)
        #expect(error.userInfo[NSLocalizedDescriptionKey] as? String == error.localizedDescription)
    }

    @Test func `it can be caught by its code`() {
        func fail() throws { throw SessionError(.timedOut(.idle), phase: .head) }
        do {
            try fail()
            Issue.record("nothing was thrown")
        } catch let error as URLError where error.code == .timedOut {
            #expect(error.phase == .head)
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test func `older programs find its code and domain where each error has them`() throws {
        let errors: [(SessionError.Reason, Int)] = [
            (.cancelled, NSURLErrorCancelled), (.timedOut(.total), NSURLErrorTimedOut),
            (.transfer(.connectionLost(nil)), NSURLErrorNetworkConnectionLost),
            (.transfer(.provider(Foundation.URLError(.callIsActive))), NSURLErrorCallIsActive),
            (.transfer(.provider(CancellationError())), NSURLErrorUnknown),
            (.request(.invalid(.ambiguousUserinfo)), NSURLErrorBadURL),
        ]
        for (reason, code) in errors {
            let error = SessionError(reason, phase: .request) as any Error
            #expect(error._code == code && error._domain == NSURLErrorDomain)
            #expect((error as NSError).code == code && (error as NSError).domain == NSURLErrorDomain)
        }
        #expect((URLError(.callIsActive) as any Error)._code == NSURLErrorCallIsActive)
    }

    @Test func `resume data is where it always was`() {
        let error = URLError(.cancelled, phase: .body, resumeData: Data([1]))
        #expect(error.downloadTaskResumeData == Data([1]))
        #expect(error.userInfo[NSURLSessionDownloadTaskResumeData] as? Data == Data([1]))
        #expect((error as NSError).userInfo[NSURLSessionDownloadTaskResumeData] as? Data == Data([1]))
        #expect(URLError(.cancelled, phase: .body).userInfo[NSURLSessionDownloadTaskResumeData] == nil)
    }

    @Test func `Foundation's own is another`() {
        let error: any Error = Foundation.URLError(.timedOut)
        #expect(!(error is URLError))
        #expect((error as? Foundation.URLError)?.code == .timedOut)
    }

    @Test func `an error has Foundation's object`() {
        let error = URLError(.timedOut, userInfo: ["key": "value"])
        #expect(error._nsError.code == NSURLErrorTimedOut && error._nsError.domain == NSURLErrorDomain)
        #expect(error._nsError.userInfo["key"] as? String == "value")
    }
}
