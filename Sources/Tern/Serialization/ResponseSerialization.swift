// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

/// The rules of this module's serializers.
enum ResponseSerialization {
    /// Status codes of responses without a body (RFC 9110 §15.3.5, §15.3.6).
    private static func promisesNoBody(_ response: HTTPURLResponse?) -> Bool {
        response?.statusCode == 204 || response?.statusCode == 205
    }

    static func data(_ response: HTTPURLResponse?, _ data: Data?, _ error: (any Error)?) -> Result<Data, any Error> {
        if let error { return .failure(error) }
        if promisesNoBody(response) { return .success(Data()) }
        guard let data else { return failure(.inputDataNil) }
        return .success(data)
    }

    /// Decodes in the encoding given, else in that of the response's charset, else in ISO-8859-1, which accepts every
    /// byte. An unknown charset is an error.
    static func string(
        _ encoding: String.Encoding?, _ response: HTTPURLResponse?, _ data: Data?, _ error: (any Error)?
    ) -> Result<String, any Error> {
        if let error { return .failure(error) }
        if promisesNoBody(response) { return .success("") }
        guard let data else { return failure(.inputDataNil) }
        if encoding == nil, let charset = response.flatMap(Self.charset) {
            return charset.decode(data).map { .success($0) }
                ?? failure(.stringSerializationFailed(encoding: charset.encoding))
        }
        let encoding = encoding ?? .isoLatin1
        guard let string = String(data: data, encoding: encoding) else {
            return failure(.stringSerializationFailed(encoding: encoding))
        }
        return .success(string)
    }

    static func json(
        _ options: JSONSerialization.ReadingOptions, _ response: HTTPURLResponse?, _ data: Data?, _ error: (any Error)?
    ) -> Result<Any, any Error> {
        if let error { return .failure(error) }
        if promisesNoBody(response) { return .success(NSNull()) }
        guard let data, !data.isEmpty else { return failure(.inputDataNilOrZeroLength) }
        do {
            return .success(try JSONSerialization.jsonObject(with: data, options: options))
        } catch {
            return failure(.jsonSerializationFailed(error: error))
        }
    }

    static func propertyList(
        _ options: PropertyListSerialization.ReadOptions, _ response: HTTPURLResponse?, _ data: Data?,
        _ error: (any Error)?
    ) -> Result<Any, any Error> {
        if let error { return .failure(error) }
        if promisesNoBody(response) { return .success(NSNull()) }
        guard let data, !data.isEmpty else { return failure(.inputDataNilOrZeroLength) }
        do {
            try PropertyListCheck.check(data.span)
            // Foundation traps on options that it does not know.
            let known = options.intersection([.mutableContainers, .mutableContainersAndLeaves])
            // The pointer would receive the format, which is not needed.
            return .success(try unsafe PropertyListSerialization.propertyList(from: data, options: known, format: nil))
        } catch {
            return failure(.propertyListSerializationFailed(error: error))
        }
    }

    static func decodable<Value: Decodable>(
        _ decoder: JSONDecoder, _ data: Data?, _ error: (any Error)?
    ) -> Result<Value, any Error> {
        if let error { return .failure(error) }
        guard let data, !data.isEmpty else { return failure(.inputDataNilOrZeroLength) }
        do {
            return .success(try decoder.decode(Value.self, from: data))
        } catch {
            return failure(.jsonSerializationFailed(error: error))
        }
    }

    /// The `charset` parameter of Content-Type (RFC 9110 §8.3.2).
    private static func charset(of response: HTTPURLResponse) -> Charset? {
        guard let label = response.value(forHTTPHeaderField: "Content-Type").flatMap({ MediaType($0)?.charset }),
            !label.isEmpty
        else { return nil }
        return Charset(label: label)
    }

    private static func failure<Value>(
        _ reason: AFError.ResponseSerializationFailureReason
    ) -> Result<Value, any Error> {
        .failure(AFError.responseSerializationFailed(reason: reason))
    }
}
