// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import Tern

/// A ``TernEngine/SessionConfiguration`` that is shared by reference, as URLSession's is: what is not named here is set by key path
/// on ``value``. A session reads it once, when it is made.
///
/// Not for use from several threads at a time, as ever.
@dynamicMemberLookup
public final class URLSessionConfiguration {
    /// What it says.
    public var value: SessionConfiguration

    /// A configuration that says this.
    public init(_ value: SessionConfiguration = .default) {
        self.value = value
    }

    /// A new one, as sessions have it when they are given none.
    public static var `default`: URLSessionConfiguration { URLSessionConfiguration() }

    /// The same as ``default``: nothing is kept beyond a session, in neither.
    public static var ephemeral: URLSessionConfiguration { URLSessionConfiguration() }

    /// There is no such thing on Linux.
    @available(
        *, unavailable,
        message: "on Linux nobody goes on with a transfer when its process has ended; use .default"
    )
    public static func background(withIdentifier identifier: String) -> URLSessionConfiguration { .default }

    /// Of a background session, so always nil.
    public var identifier: String? { nil }

    /// Whatever the value has.
    public subscript<Member>(dynamicMember member: WritableKeyPath<SessionConfiguration, Member>) -> Member {
        get { value[keyPath: member] }
        set { value[keyPath: member] = newValue }
    }

    /// Added to every request that has no field of that name. Values that are no text are added as they describe themselves; nil
    /// takes all fields away.
    public var httpAdditionalHeaders: [AnyHashable: Any]? {
        get { value.httpAdditionalHeaders.isEmpty ? nil : dictionary }
        set {
            let fields = (newValue ?? [:]).map { HTTPField(name: "\($0.key.base)", value: "\($0.value)") }
            value.httpAdditionalHeaders = HTTPFields(fields.sorted { $0.name < $1.name })
        }
    }

    private var dictionary: [AnyHashable: Any] {
        Dictionary(value.httpAdditionalHeaders.map { ($0.name, $0.value) }) { "\($0), \($1)" }
    }
}

extension URLSessionConfiguration: NSCopying {
    /// Another of the same value.
    public func copy(with zone: NSZone? = nil) -> Any { URLSessionConfiguration(value) }
}
