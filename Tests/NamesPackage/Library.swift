// SPDX-License-Identifier: Apache-2.0

// A library of others, with names that Tern has as well.

public struct Session {
    public init() {}
}

public struct Request<Value> {
    public let value: Value

    public init(_ value: Value) { self.value = value }
}

public struct Proxy {
    public init() {}
}

public struct Credential {
    public init() {}
}

public struct Challenge {
    public init() {}
}

public enum HTTPMethod {
    case brew
}

public typealias Parameters = [Int]

public func request(_ number: Int) -> Int { number }
