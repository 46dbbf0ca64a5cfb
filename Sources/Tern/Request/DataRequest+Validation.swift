// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

extension DataRequest {
    /// Judges a response by its head and, unless it went to `stream(closure:)`, its body.
    @preconcurrency public typealias Validation = @Sendable (URLRequest?, HTTPURLResponse, Data?) -> ValidationResult

    /// Has the response judged before any handler sees it. Validations run in the order given, on the callback queue or
    /// in the awaiting task, until one fails; none runs if no response came.
    ///
    /// Where in the chain it stands does not matter, as long as no handler has run.
    @preconcurrency @discardableResult
    public func validate(_ validation: @escaping Validation) -> Self {
        judge { completion, response in
            switch validation(completion.request, response, completion.data) {
            case .success: nil
            case .failure(let error): error
            }
        }
    }

    private func judge(_ verdict: @escaping @Sendable (Completion, HTTPURLResponse) -> (any Error)?) -> Self {
        delegate.validate(TaskDelegate.Judge(verdict: verdict))
        return self
    }

    /// Fails with `unacceptableStatusCode` unless the status code is among these.
    @preconcurrency @discardableResult
    public func validate<Codes: Sequence & Sendable>(statusCode acceptableStatusCodes: Codes) -> Self
    where Codes.Element == Int {
        judge { _, response in DataRequest.judge(response.statusCode, by: acceptableStatusCodes) }
    }

    /// Fails with `missingContentType` or `unacceptableContentType` unless the body is empty or its media type matches
    /// one of these. Each half may be `*`; parameters are ignored.
    @preconcurrency @discardableResult
    public func validate<Types: Sequence & Sendable>(contentType acceptableContentTypes: Types) -> Self
    where Types.Element == String {
        judge { DataRequest.judge($1, $0.data, by: Array(acceptableContentTypes)) }
    }

    /// Fails unless the status code is 200 to 299 and the media type one of those in the request's Accept field, if it
    /// has one.
    @preconcurrency @discardableResult
    public func validate() -> Self {
        judge { completion, response in
            if let error = DataRequest.judge(response.statusCode, by: 200..<300) { return error }
            guard let accept = completion.request?.value(forHTTPHeaderField: "Accept") else { return nil }
            return DataRequest.judge(response, completion.data, by: accept.split(separator: ",").map(String.init))
        }
    }

    private static func judge(_ status: Int, by acceptable: some Sequence<Int>) -> (any Error)? {
        if acceptable.contains(status) { return nil }
        return failure(.unacceptableStatusCode(code: status))
    }

    private static func judge(
        _ response: HTTPURLResponse, _ data: Data?, by acceptable: [String]
    ) -> (any Error)? {
        guard let data, !data.isEmpty else { return nil }
        let ranges = acceptable.lazy.compactMap { MediaType($0) }
        guard let text = response.mimeType, let type = MediaType(text) else {
            if ranges.contains(where: \.matchesEverything) { return nil }
            return failure(.missingContentType(acceptableContentTypes: acceptable))
        }
        if ranges.contains(where: { $0.matches(type) }) { return nil }
        return failure(.unacceptableContentType(acceptableContentTypes: acceptable, responseContentType: text))
    }

    private static func failure(_ reason: AFError.ResponseValidationFailureReason) -> any Error {
        AFError.responseValidationFailed(reason: reason)
    }
}
