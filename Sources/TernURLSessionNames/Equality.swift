// SPDX-License-Identifier: Apache-2.0
public import TernEngine

// What is an object in URLSession is a key here as well: each is equal to itself alone.

extension Session: Hashable {
    /// Whether both are the same session.
    public static func == (left: Session, right: Session) -> Bool { left === right }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// Whether `object` is the same session.
    public func isEqual(_ object: Any?) -> Bool { (object as? Session) === self }

    /// Of the identity.
    public var hash: Int { hashValue }
}

extension SessionTask: Hashable {
    /// Whether both are the same task.
    public static func == (left: SessionTask, right: SessionTask) -> Bool { left === right }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// Whether `object` is the same task.
    public func isEqual(_ object: Any?) -> Bool { (object as? SessionTask) === self }

    /// Of the identity.
    public var hash: Int { hashValue }
}

extension URLSessionConfiguration: Hashable {
    /// Whether both are the same configuration.
    public static func == (left: URLSessionConfiguration, right: URLSessionConfiguration) -> Bool { left === right }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// Whether `object` is the same configuration.
    public func isEqual(_ object: Any?) -> Bool { (object as? URLSessionConfiguration) === self }

    /// Of the identity.
    public var hash: Int { hashValue }
}

extension URLCache: Hashable {
    /// Whether both are the same cache.
    public static func == (left: URLCache, right: URLCache) -> Bool { left === right }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// Whether `object` is the same cache.
    public func isEqual(_ object: Any?) -> Bool { (object as? URLCache) === self }

    /// Of the identity.
    public var hash: Int { hashValue }
}

extension HTTPCookieStorage: Hashable {
    /// Whether both are the same storage.
    public static func == (left: HTTPCookieStorage, right: HTTPCookieStorage) -> Bool { left === right }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// Whether `object` is the same storage.
    public func isEqual(_ object: Any?) -> Bool { (object as? HTTPCookieStorage) === self }

    /// Of the identity.
    public var hash: Int { hashValue }
}

extension CredentialStorage: Hashable {
    /// Whether both are the same storage.
    public static func == (left: CredentialStorage, right: CredentialStorage) -> Bool { left === right }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// Whether `object` is the same storage.
    public func isEqual(_ object: Any?) -> Bool { (object as? CredentialStorage) === self }

    /// Of the identity.
    public var hash: Int { hashValue }
}

// Metrics and challenges are objects there and values here: each is equal to its copies.

extension TaskMetrics: Hashable {
    /// Whether both are of one task at one time: the same instants, and equal hops.
    public static func == (left: TaskMetrics, right: TaskMetrics) -> Bool {
        left.start == right.start && left.end == right.end && left.redirectCount == right.redirectCount
            && left.hops == right.hops
    }

    /// Hashes the start.
    public func hash(into hasher: inout Hasher) { hasher.combine(start) }

    /// Whether `object` is equal.
    public func isEqual(_ object: Any?) -> Bool { (object as? TaskMetrics) == self }

    /// Of the start.
    public var hash: Int { hashValue }
}

extension HopMetrics: Hashable {
    /// Whether both are of one hop at one time: the same instants, the same connection, and equal messages.
    public static func == (left: HopMetrics, right: HopMetrics) -> Bool {
        left.start == right.start && left.end == right.end && left.responseStart == right.responseStart
            && left.attemptCount == right.attemptCount && left.connection === right.connection
            && left.request == right.request && left.response == right.response
    }

    /// Hashes the start.
    public func hash(into hasher: inout Hasher) { hasher.combine(start) }

    /// Whether `object` is equal.
    public func isEqual(_ object: Any?) -> Bool { (object as? HopMetrics) == self }

    /// Of the start.
    public var hash: Int { hashValue }
}

extension Challenge: Hashable {
    /// Whether space, credential, count and response are equal, and both are about the same verdict and of the same sender.
    public static func == (left: Challenge, right: Challenge) -> Bool {
        left.protectionSpace == right.protectionSpace && left.proposedCredential == right.proposedCredential
            && left.previousFailureCount == right.previousFailureCount
            && left.failureResponse == right.failureResponse && left.verdict === right.verdict
            && left.sender === right.sender
    }

    /// Hashes the space.
    public func hash(into hasher: inout Hasher) { hasher.combine(protectionSpace) }

    /// Whether `object` is equal.
    public func isEqual(_ object: Any?) -> Bool { (object as? Challenge) == self }

    /// Of the space.
    public var hash: Int { hashValue }
}

// Values in both

extension ProtectionSpace {
    /// Whether `object` is an equal space.
    public func isEqual(_ object: Any?) -> Bool { (object as? ProtectionSpace) == self }

    /// Of all of it.
    public var hash: Int { hashValue }
}

extension HTTPCookie {
    /// Whether `object` is an equal cookie.
    public func isEqual(_ object: Any?) -> Bool { (object as? HTTPCookie) == self }

    /// Of all of it.
    public var hash: Int { hashValue }
}

extension Credential {
    /// Of all of it.
    public var hash: Int { hashValue }
}
