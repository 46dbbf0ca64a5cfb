// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import Testing

@Suite struct AFErrorTests {
    private struct Cause: Error {}

    private static let invalidURL = AFError.invalidURL(url: "not a url")
    private static let missingURL = AFError.parameterEncodingFailed(reason: .missingURL)
    private static let code = AFError.responseValidationFailed(reason: .unacceptableStatusCode(code: 404))
    private static let type = AFError.responseValidationFailed(
        reason: .unacceptableContentType(acceptableContentTypes: ["a/b"], responseContentType: "c/d"))
    private static let text = AFError.responseSerializationFailed(reason: .stringSerializationFailed(encoding: .utf8))

    @Test func `each error knows its kind and no other`() {
        for (index, error) in [Self.invalidURL, Self.missingURL, Self.code, Self.text].enumerated() {
            let kinds = [
                error.isInvalidURLError, error.isParameterEncodingError, error.isResponseValidationError,
                error.isResponseSerializationError,
            ]
            #expect(kinds == (0..<4).map { $0 == index })
        }
    }

    @Test func `what an error is about can be asked for`() {
        #expect(Self.invalidURL.urlConvertible as? String == "not a url")
        #expect(Self.code.responseCode == 404)
        #expect(Self.type.acceptableContentTypes == ["a/b"])
        #expect(Self.type.responseContentType == "c/d")
        #expect(Self.text.failedStringEncoding == .utf8)
        let json = AFError.responseSerializationFailed(reason: .jsonSerializationFailed(error: Cause()))
        #expect(json.underlyingError is Cause)
    }

    @Test func `what an error is not about is nil`() {
        #expect(Self.code.urlConvertible == nil)
        #expect(Self.invalidURL.responseCode == nil)
        #expect(Self.code.underlyingError == nil)
        #expect(Self.code.acceptableContentTypes == nil)
    }

    @Test func `a description does not show the password of a URL`() {
        let error = AFError.invalidURL(url: "https://joe:secret@example.com/a b")
        #expect(error.localizedDescription == "URL is not valid: https://example.com/a b")
    }
}
