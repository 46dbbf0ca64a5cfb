// SPDX-License-Identifier: Apache-2.0
public import Foundation

extension DataRequest {
    /// Calls the handler with the body as a property list; see ``propertyListResponseSerializer(options:)``.
    @preconcurrency @discardableResult
    public func responsePropertyList(
        queue: DispatchQueue? = nil, options: PropertyListSerialization.ReadOptions = [],
        completionHandler: @escaping @Sendable (DataResponse<Any>) -> Void
    ) -> Self {
        response(
            queue: queue, responseSerializer: Self.propertyListResponseSerializer(options: options),
            completionHandler: completionHandler)
    }
}
