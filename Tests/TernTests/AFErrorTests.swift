// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TestProofs
import Testing

@Suite struct AFErrorDescriptionTests {
    private struct Cause: Error, LocalizedError {
        var errorDescription: String? { "the cause" }
    }

    private static let file = URL(filePath: "/a/b")
    private static let missingURL = AFError.parameterEncodingFailed(reason: .missingURL)
    private static let part = AFError.multipartEncodingFailed(reason: .bodyPartFileIsDirectory(at: file))
    private static let code = AFError.responseValidationFailed(reason: .unacceptableStatusCode(code: 404))
    private static let type = AFError.responseValidationFailed(
        reason: .unacceptableContentType(acceptableContentTypes: ["a/b", "c/*"], responseContentType: "c/d"))

    @Test func `a description does not show the password of a URL`() {
        let error = AFError.invalidURL(url: "https://joe:secret@example.com/a b")
        #expect(error.localizedDescription == "URL is not valid: https://example.com/a b")
    }

    // Not kept: LeakSanitizer does not find what a global holds by a tagged pointer.
    private static var wordings: [(AFError, String)] {
        [
            (missingURL, "URL request to encode was missing a URL"),
            (
                .parameterEncodingFailed(reason: .jsonEncodingFailed(error: Cause())),
                "JSON could not be encoded because of error:\nthe cause"
            ),
            (
                .parameterEncodingFailed(reason: .propertyListEncodingFailed(error: Cause())),
                "PropertyList could not be encoded because of error:\nthe cause"
            ),
            (part, "The URL provided is a directory: file:///a/b"),
            (
                .multipartEncodingFailed(reason: .outputStreamFileAlreadyExists(at: file)),
                "A file already exists at the provided URL: file:///a/b"
            ),
            (
                .multipartEncodingFailed(reason: .bodyPartFileNotReachableWithError(atURL: file, error: Cause())),
                "The system returned an error while checking the provided URL for reachability.\n"
                    + "URL: file:///a/b\nError: Cause()"
            ),
            (
                .responseValidationFailed(reason: .dataFileReadFailed(at: file)),
                "Response could not be validated, data file could not be read: file:///a/b."
            ),
            (
                .responseValidationFailed(reason: .missingContentType(acceptableContentTypes: ["a/b", "c/d"])),
                "Response Content-Type was missing and acceptable content types (a/b,c/d) do not match \"*/*\"."
            ),
            (type, "Response Content-Type \"c/d\" does not match any acceptable types: a/b,c/*."),
            (code, "Response status code was unacceptable: 404."),
            (
                .responseSerializationFailed(reason: .inputDataNil),
                "Response could not be serialized, input data was nil."
            ),
            (
                .responseSerializationFailed(reason: .inputDataNilOrZeroLength),
                "Response could not be serialized, input data was nil or zero length."
            ),
            (
                .responseSerializationFailed(reason: .inputFileNil),
                "Response could not be serialized, input file was nil."
            ),
            (
                .responseSerializationFailed(reason: .propertyListSerializationFailed(error: Cause())),
                "PropertyList could not be serialized because of error:\nthe cause"
            ),
        ]
    }

    @Test(.proves("10.1d")) func `the words are Alamofire's`() {
        for (error, words) in Self.wordings {
            #expect(error.errorDescription == words)
            #expect(error.localizedDescription == words)
        }
    }

    @Test func `for a log they are one line, and the error beneath speaks for itself`() {
        let error = AFError.responseSerializationFailed(reason: .jsonSerializationFailed(error: Cause()))
        #expect("\(error)" == "JSON could not be serialized because of error: Cause()")
        if case .responseSerializationFailed(let reason) = error { #expect("\(reason)" == "\(error)") }
    }
}

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
