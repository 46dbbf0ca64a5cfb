// SPDX-License-Identifier: Apache-2.0
// Alamofire 4's `Result<Value>` is Swift's own `Result<Value, any Error>` here, with Alamofire's members. A type of
// that name in this module would hide Swift's in every file that imports it, and break each `Result<A, B>` there;
// `switch response.result`, `response.result.value` and the rest read the same either way.

extension Result {
    /// Whether it is a success.
    public var isSuccess: Bool {
        if case .success = self { true } else { false }
    }

    /// Whether it is a failure.
    public var isFailure: Bool { !isSuccess }

    /// The value of a success.
    public var value: Success? {
        if case .success(let value) = self { value } else { nil }
    }

    /// The error of a failure.
    public var error: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// Calls the closure with the value, if there is one.
    @discardableResult
    public func withValue(_ closure: (Success) throws -> Void) rethrows -> Self {
        if case .success(let value) = self { try closure(value) }
        return self
    }

    /// Calls the closure with the error, if there is one.
    @discardableResult
    public func withError(_ closure: (Failure) throws -> Void) rethrows -> Self {
        if case .failure(let error) = self { try closure(error) }
        return self
    }

    /// Calls the closure for a success.
    @discardableResult
    public func ifSuccess(_ closure: () throws -> Void) rethrows -> Self {
        if isSuccess { try closure() }
        return self
    }

    /// Calls the closure for a failure.
    @discardableResult
    public func ifFailure(_ closure: () throws -> Void) rethrows -> Self {
        if isFailure { try closure() }
        return self
    }
}

extension Result where Failure == any Error {
    /// Creates a result with the closure's value or error.
    public init(value: () throws -> Success) {
        self.init(catching: value)
    }

    /// Returns the value; throws the error.
    public func unwrap() throws -> Success { try get() }

    /// Replaces the value by the closure's result, or by the error it throws.
    public func flatMap<NewSuccess>(_ transform: (Success) throws -> NewSuccess) -> Result<NewSuccess, any Error> {
        switch self {
        case .success(let value): Result<NewSuccess, any Error> { try transform(value) }
        case .failure(let error): .failure(error)
        }
    }

    /// Replaces the error by the closure's result, or by the error it throws.
    public func flatMapError(_ transform: (any Error) throws -> any Error) -> Result<Success, any Error> {
        guard case .failure(let error) = self else { return self }
        do {
            return .failure(try transform(error))
        } catch {
            return .failure(error)
        }
    }

    /// `SUCCESS` or `FAILURE`.
    public var description: String { isSuccess ? "SUCCESS" : "FAILURE" }

    /// The result with its value or error.
    public var debugDescription: String {
        switch self {
        case .success(let value): "SUCCESS: \(value)"
        case .failure(let error): "FAILURE: \(error)"
        }
    }
}
