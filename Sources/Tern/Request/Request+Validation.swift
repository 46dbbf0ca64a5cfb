// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

extension DataRequest {
    /// Validates a response by its head and, unless it was passed to `stream(closure:)`, its body.
    @preconcurrency public typealias Validation = @Sendable (URLRequest?, HTTPURLResponse, Data?) -> ValidationResult

    /// Validates the response before any handler runs. Validations run in the order given, on the callback queue or in
    /// the awaiting task, until one fails; none runs without a response.
    ///
    /// Its position in the chain does not matter, as long as it is added before the response is complete or before the
    /// first handler: no handler waits for a validation.
    @preconcurrency @discardableResult
    public func validate(_ validation: @escaping Validation) -> Self {
        addValidator { completion, response in
            switch validation(completion.request, response, completion.data) {
            case .success: nil
            case .failure(let error): error
            }
        }
    }

    /// Fails with `unacceptableStatusCode` unless the status code is among these.
    @preconcurrency @discardableResult
    public func validate<Codes: Sequence & Sendable>(statusCode acceptableStatusCodes: Codes) -> Self
    where Codes.Element == Int {
        addValidator { _, response in ResponseValidation.check(response.statusCode, by: acceptableStatusCodes) }
    }

    /// Fails with `missingContentType` or `unacceptableContentType` unless the body is empty or its media type matches
    /// one of these. Each half may be `*`; parameters are ignored.
    @preconcurrency @discardableResult
    public func validate<Types: Sequence & Sendable>(contentType acceptableContentTypes: Types) -> Self
    where Types.Element == String {
        addValidator { completion, response in
            Self.isEmpty(completion.data) ? nil : ResponseValidation.check(response, by: Array(acceptableContentTypes))
        }
    }

    /// Fails unless the status code is 200 to 299 and the media type one of those in the request's Accept field, if it
    /// has one.
    @preconcurrency @discardableResult
    public func validate() -> Self {
        addValidator { completion, response in
            if let error = ResponseValidation.check(response.statusCode, by: 200..<300) { return error }
            guard let acceptable = ResponseValidation.acceptableTypes(of: completion.request),
                !Self.isEmpty(completion.data)
            else { return nil }
            return ResponseValidation.check(response, by: acceptable)
        }
    }

    private static func isEmpty(_ data: Data?) -> Bool { data?.isEmpty ?? true }
}

extension DownloadRequest {
    /// Validates a response by its head, the temporary location of its file, and its destination.
    @preconcurrency public typealias Validation =
        @Sendable (_ request: URLRequest?, _ response: HTTPURLResponse, _ temporaryURL: URL?, _ destinationURL: URL?) ->
        ValidationResult

    /// Validates the response before any handler runs, after the file was moved. Validations run in the order given, on
    /// the callback queue or in the awaiting task, until one fails; none runs without a response.
    ///
    /// Its position in the chain does not matter, as long as it is added before the response is complete or before the
    /// first handler: no handler waits for a validation.
    @preconcurrency @discardableResult
    public func validate(_ validation: @escaping Validation) -> Self {
        addValidator { completion, response in
            let download = completion.download
            switch validation(completion.request, response, download?.temporaryURL, download?.destinationURL) {
            case .success: return nil
            case .failure(let error): return error
            }
        }
    }

    /// Fails with `unacceptableStatusCode` unless the status code is among these.
    @preconcurrency @discardableResult
    public func validate<Codes: Sequence & Sendable>(statusCode acceptableStatusCodes: Codes) -> Self
    where Codes.Element == Int {
        addValidator { _, response in ResponseValidation.check(response.statusCode, by: acceptableStatusCodes) }
    }

    /// Fails with `dataFileNil` or `dataFileReadFailed` if the file does not exist or cannot be read, and with
    /// `missingContentType` or `unacceptableContentType` unless it is empty or the response's media type matches one of
    /// these. Each half may be `*`; parameters are ignored.
    @preconcurrency @discardableResult
    public func validate<Types: Sequence & Sendable>(contentType acceptableContentTypes: Types) -> Self
    where Types.Element == String {
        addValidator { Self.check($0, $1, by: Array(acceptableContentTypes)) }
    }

    /// Fails unless the status code is 200 to 299, the file can be read, and the media type is one of those in the
    /// request's Accept field, if it has one.
    @preconcurrency @discardableResult
    public func validate() -> Self {
        addValidator { completion, response in
            if let error = ResponseValidation.check(response.statusCode, by: 200..<300) { return error }
            return Self.check(
                completion, response, by: ResponseValidation.acceptableTypes(of: completion.request) ?? ["*/*"])
        }
    }

    /// One byte shows whether the file can be read, and whether it is empty.
    private static func check(
        _ completion: Completion, _ response: HTTPURLResponse, by acceptable: [String]
    ) -> (any Error)? {
        guard let file = completion.download?.file else { return ResponseValidation.failure(.dataFileNil) }
        do {
            let start = try FileHandle(forReadingFrom: file).read(upToCount: 1)
            return start?.isEmpty ?? true ? nil : ResponseValidation.check(response, by: acceptable)
        } catch {
            return ResponseValidation.failure(.dataFileReadFailed(at: file))
        }
    }
}

extension Request {
    /// The result of a validation.
    public enum ValidationResult: Sendable {
        /// The response is valid.
        case success
        /// The error of the response.
        case failure(any Error)
    }

    fileprivate func addValidator(
        _ verdict: @escaping @Sendable (Completion, HTTPURLResponse) -> (any Error)?
    ) -> Self {
        delegate.validate(TaskDelegate.Validator(verdict: verdict))
        return self
    }
}
