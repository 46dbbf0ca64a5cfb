// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

/// Says where a complete file is to be moved, and what may be done to make room for it. Runs on the manager's callback
/// queue; is asked once, and only if a response came.
@preconcurrency public typealias DownloadFileDestination =
    @Sendable (_ temporaryURL: URL, _ response: HTTPURLResponse) -> (destinationURL: URL, options: DownloadOptions)
