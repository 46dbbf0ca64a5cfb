// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Seconds since 2001-01-01T00:00:00Z: the unit of a `Timeline`.
public typealias CFAbsoluteTime = TimeInterval

/// The time of the wall clock.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date.timeIntervalSinceReferenceDate }
