// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Seconds since 2001-01-01T00:00:00Z: what a `Timeline` counts in.
public typealias CFAbsoluteTime = TimeInterval

/// The time by the clock on the wall.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date.timeIntervalSinceReferenceDate }
