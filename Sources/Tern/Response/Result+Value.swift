// SPDX-License-Identifier: Apache-2.0
// Alamofire 4's `Result<Value>` is Swift's own `Result<Value, any Error>` here, with the members Alamofire gave it. A type
// of that name in this module would hide Swift's in every file that imports it, and break each `Result<A, B>` there;
// `switch response.result`, `response.result.value` and the rest read the same either way.

extension Result {
    /// Whether it went well.
    public var isSuccess: Bool {
        if case .success = self { true } else { false }
    }

    /// Whether it went wrong.
    public var isFailure: Bool { !isSuccess }

    /// What came of it, if it went well.
    public var value: Success? {
        if case .success(let value) = self { value } else { nil }
    }

    /// What went wrong, if it did.
    public var error: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// Calls the closure with the value, if there is one.
    @discardableResult
    public func withValue(_ closure: (Success) -> Void) -> Self {
        if case .success(let value) = self { closure(value) }
        return self
    }

    /// Calls the closure with the error, if there is one.
    @discardableResult
    public func withError(_ closure: (Failure) -> Void) -> Self {
        if case .failure(let error) = self { closure(error) }
        return self
    }

    /// Calls the closure if it went well.
    @discardableResult
    public func ifSuccess(_ closure: () -> Void) -> Self {
        if isSuccess { closure() }
        return self
    }

    /// Calls the closure if it went wrong.
    @discardableResult
    public func ifFailure(_ closure: () -> Void) -> Self {
        if isFailure { closure() }
        return self
    }
}

extension Result where Failure == any Error {
    /// What the closure returns or throws.
    public init(value: () throws -> Success) {
        self.init(catching: value)
    }

    /// The value; throws the error.
    public func unwrap() throws -> Success { try get() }

    /// What the closure makes of the value, or the error it throws.
    public func flatMap<NewSuccess>(_ transform: (Success) throws -> NewSuccess) -> Result<NewSuccess, any Error> {
        switch self {
        case .success(let value): Result<NewSuccess, any Error> { try transform(value) }
        case .failure(let error): .failure(error)
        }
    }

    /// The word and what it is about.
    var summary: String {
        switch self {
        case .success(let value): "SUCCESS: \(value)"
        case .failure(let error): "FAILURE: \(error)"
        }
    }
}
