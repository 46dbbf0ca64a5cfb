// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TestProofs
import Testing

@Suite struct AFErrorPropertiesTests {
    private struct Cause: Error {}

    private static let file = URL(filePath: "/a/b")
    private static let invalidURL = AFError.invalidURL(url: "not a url")
    private static let missingURL = AFError.parameterEncodingFailed(reason: .missingURL)
    private static let part = AFError.multipartEncodingFailed(reason: .bodyPartFileIsDirectory(at: file))
    private static let code = AFError.responseValidationFailed(reason: .unacceptableStatusCode(code: 404))
    private static let type = AFError.responseValidationFailed(
        reason: .unacceptableContentType(acceptableContentTypes: ["a/b", "c/*"], responseContentType: "c/d"))
    private static let text = AFError.responseSerializationFailed(reason: .stringSerializationFailed(encoding: .utf8))

    @Test(.proves("10.1a")) func `each error knows its kind and no other`() {
        for (index, error) in [Self.invalidURL, Self.missingURL, Self.part, Self.code, Self.text].enumerated() {
            let kinds = [
                error.isInvalidURLError, error.isParameterEncodingError, error.isMultipartEncodingError,
                error.isResponseValidationError, error.isResponseSerializationError,
            ]
            #expect(kinds == (0..<5).map { $0 == index })
        }
    }

    @Test(.proves("10.1b")) func `what an error is about can be asked for`() {
        #expect(Self.invalidURL.urlConvertible as? String == "not a url")
        #expect(Self.part.url == Self.file)
        #expect(Self.code.responseCode == 404)
        #expect(Self.type.acceptableContentTypes == ["a/b", "c/*"])
        #expect(Self.type.responseContentType == "c/d")
        #expect(Self.text.failedStringEncoding == .utf8)
    }

    @Test(
        .proves("10.1c"),
        arguments: [
            .parameterEncodingFailed(reason: .jsonEncodingFailed(error: Cause())),
            .parameterEncodingFailed(reason: .propertyListEncodingFailed(error: Cause())),
            .multipartEncodingFailed(reason: .bodyPartFileNotReachableWithError(atURL: file, error: Cause())),
            .multipartEncodingFailed(reason: .bodyPartFileSizeQueryFailedWithError(forURL: file, error: Cause())),
            .multipartEncodingFailed(reason: .outputStreamWriteFailed(error: Cause())),
            .multipartEncodingFailed(reason: .inputStreamReadFailed(error: Cause())),
            .responseSerializationFailed(reason: .jsonSerializationFailed(error: Cause())),
            .responseSerializationFailed(reason: .propertyListSerializationFailed(error: Cause())),
        ] as [AFError])
    func `the error beneath can be asked for`(error: AFError) {
        #expect(error.underlyingError is Cause)
    }

    @Test(.proves("10.1b")) func `what an error is not about is nil`() {
        #expect(Self.code.urlConvertible == nil)
        #expect(Self.code.url == nil)
        #expect(Self.invalidURL.responseCode == nil)
        #expect(Self.code.underlyingError == nil)
        #expect(Self.part.underlyingError == nil)
        #expect(Self.code.acceptableContentTypes == nil)
        #expect(Self.code.responseContentType == nil)
        #expect(Self.code.failedStringEncoding == nil)
        let written = AFError.multipartEncodingFailed(reason: .outputStreamWriteFailed(error: Cause()))
        #expect(written.url == nil)
    }
}
