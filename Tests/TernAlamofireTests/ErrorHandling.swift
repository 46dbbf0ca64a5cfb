// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernAlamofire
import TernTesting
import TestProofs
import Testing

@Suite struct ErrorHandling {
    /// The ladder of Alamofire's guide: each case of each reason, with no default.
    private func explanation(of error: Error) -> String {
        if let error = error as? AFError {
            switch error {
            case .invalidURL(let url):
                return "Invalid URL: \(url) - \(error.localizedDescription)"
            case .parameterEncodingFailed(let reason):
                switch reason {
                case .missingURL:
                    return "no URL"
                case .jsonEncodingFailed(let error), .propertyListEncodingFailed(let error):
                    return "Parameter encoding failed: \(error.localizedDescription)"
                }
            case .multipartEncodingFailed(let reason):
                return "Multipart encoding failed: \(error.localizedDescription) Failure Reason: \(reason)"
            case .responseValidationFailed(let reason):
                switch reason {
                case .dataFileNil, .dataFileReadFailed:
                    return "Downloaded file could not be read"
                case .missingContentType(let acceptableContentTypes):
                    return "Content Type Missing: \(acceptableContentTypes)"
                case .unacceptableContentType(let acceptableContentTypes, let responseContentType):
                    return "Response content type: \(responseContentType) was unacceptable: \(acceptableContentTypes)"
                case .unacceptableStatusCode(let code):
                    return "Response status code was unacceptable: \(code)"
                }
            case .responseSerializationFailed(let reason):
                switch reason {
                case .inputDataNil, .inputDataNilOrZeroLength, .inputFileNil:
                    return "nothing came"
                case .inputFileReadFailed(at: let url):
                    return "\(url)"
                case .stringSerializationFailed(encoding: let encoding):
                    return "\(encoding)"
                case .jsonSerializationFailed(error: let error), .propertyListSerializationFailed(error: let error):
                    return "Response serialization failed: \(error.localizedDescription)"
                }
            }
        } else if let error = error as? URLError {
            return "URLError occurred: \(error.code.rawValue)"
        } else {
            return "Unknown error: \(error)"
        }
    }

    private func error(_ request: DataRequest) async -> Error? {
        await withCheckedContinuation { continuation in
            request.responseJSON { continuation.resume(returning: $0.result.error) }
        }
    }

    @Test(.proves("10.1a")) func `every error has its place on the ladder`() async throws {
        let origin = try ScriptedOrigin { _, request in
            [.respond(status: request.target == "/404" ? 404 : 200, body: "no JSON")]
        }
        let failures = [
            await error(Alamofire.request("not a url")),
            await error(Alamofire.request(origin.url("/404")).validate()),
            await error(
                Alamofire.request(origin.url(), method: .post, parameters: ["a": Date()], encoding: JSONEncoding())),
            await error(Alamofire.request(origin.url())),
        ]
        let texts = failures.compactMap { $0.map(explanation) }
        #expect(texts[0].hasPrefix("Invalid URL: not a url - URL is not valid"))
        #expect(texts[1] == "Response status code was unacceptable: 404")
        #expect(texts[2].hasPrefix("Parameter encoding failed"))
        #expect(texts[3].hasPrefix("Response serialization failed"))
        #expect((failures[1] as? AFError)?.responseCode == 404)
        #expect((failures[1] as? AFError)?.isResponseValidationError == true)
    }

    @Test(.proves("10.1e")) func `an error of the transport is a URLError, and an NSError of its domain`() async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        let request = Alamofire.request(origin.url())
        request.cancel()
        let error = try #require(await error(request))
        #expect(explanation(of: error) == "URLError occurred: -999")
        if let error = error as? URLError {
            switch error.code {
            case .cancelled, .networkConnectionLost: break
            case .timedOut, .cannotFindHost, .notConnectedToInternet: Issue.record("\(error)")
            default: Issue.record("\(error)")
            }
            #expect(error.failingURL != nil && !error.localizedDescription.isEmpty)
        } else {
            Issue.record("not a URLError: \(error)")
        }
        #expect((error as NSError).domain == NSURLErrorDomain)
        #expect((error as NSError).code == NSURLErrorCancelled)
        do {
            throw error
        } catch let error as URLError where error.code == .cancelled {
            #expect(error.errorCode == NSURLErrorCancelled)
        } catch {
            Issue.record("\(error)")
        }
    }
}
