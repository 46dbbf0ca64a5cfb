// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import Tern

/// The error of a request that would fail with Foundation's `URLError` in URLSession: `error as? URLError` finds it,
/// and its `code` is one of Foundation's. Errors that Foundation itself throws are `Foundation.URLError`.
public typealias URLError = SessionError

extension SessionError {
    /// Foundation's codes.
    public typealias Code = Foundation.URLError.Code

    /// `failingURL` as text.
    public var failureURLString: String? { failingURL?.absoluteString }

    /// ``TernEngine/SessionError/resumeData``
    public var downloadTaskResumeData: Data? { resumeData }

    /// The description, the origin of the request, and the resume data of a download; no other part of the request.
    public var userInfo: [String: Any] { errorUserInfo }
}

/// The key of a download's resume data in the `userInfo` of its error.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"
