// SPDX-License-Identifier: Apache-2.0

/// Alamofire 4's result: Swift's own, with any error. With this module imported, Swift's result with two parameters is
/// `Swift.Result`.
public typealias Result<Value> = Swift.Result<Value, any Error>

extension Swift.Result where Failure == any Error {
    /// The same with another error. Swift's own `mapError` changes the type as well.
    public func mapError<NewError: Error>(_ transform: (any Error) -> NewError) -> Swift.Result<Success, any Error> {
        switch self {
        case .success: self
        case .failure(let error): .failure(transform(error))
        }
    }
}
