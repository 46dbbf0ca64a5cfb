// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

extension HTTPURLResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// "200 https://example.com/path"; without userinfo, query and headers, which may hold secrets.
    public var description: String { url.map { "\(statusCode) \(Self.place($0.absoluteString))" } ?? "\(statusCode)" }

    /// The same and the header fields, sensitive ones without their values.
    public var debugDescription: String { "\(description)\n\(headers)" }

    /// A dump shows the same.
    public var customMirror: Mirror { Mirror(self, children: ["response": debugDescription]) }

    private static func place(_ url: String) -> String {
        guard let destination = try? Destination(absoluteString: url) else { return "(not a URL to be requested)" }
        let origin = "\(destination.origin.scheme)://\(destination.origin.hostField)"
        guard case .origin(let target) = destination.target else { return origin }
        return origin + target.prefix { $0 != "?" }
    }
}
