// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

/// Returns the destination of a complete file, and what may be done to make room for it. Runs on the manager's callback
/// queue; called once, and only after a response.
@preconcurrency public typealias DownloadFileDestination =
    @Sendable (_ temporaryURL: URL, _ response: HTTPURLResponse) -> (destinationURL: URL, options: DownloadOptions)
