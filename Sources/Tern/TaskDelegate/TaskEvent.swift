// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

/// An event of a task, passed to the callback queue, which calls a closure or an overridden method.
enum TaskEvent: Sendable {
    case response(HTTPURLResponse, DelegateQuestion<ResponseAnswer>)
    case data(Data)
    case sent(Int64, total: Int64, expected: Int64)
    case redirect(HTTPURLResponse, URLRequest, DelegateQuestion<RedirectAnswer>)
    case challenge(AuthenticationChallenge, DelegateQuestion<ChallengeAnswer>)
    case serverTrust(ServerTrustChallenge, ServerTrustQuestion)
    case content(DelegateQuestion<BodyAnswer>)
    /// The task became this download.
    case became(SessionDownloadTask)
    case download(SessionDownloadTask, DownloadEvent)
    case completion(SessionError?, TaskMetrics?)

    /// The complete file of a download, which is removed unless a request keeps it.
    var file: URL? { if case .download(_, .arrived(let location)) = self { location } else { nil } }
}

/// An event of a download. Counts are in bytes; an unknown total is -1.
enum DownloadEvent: Sendable {
    /// The download resumes at an offset.
    case resumed(at: Int64, of: Int64)
    /// More bytes are in the file.
    case wrote(Int64, total: Int64, expected: Int64)
    /// The file is complete.
    case arrived(URL)
}
