// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

/// The result of a request that has ended and been validated.
struct Completion: Sendable {
    let request: URLRequest?
    let response: HTTPURLResponse?
    var data: Data?
    var error: (any Error)?
    /// The last attempt's; nil if no request could be created. It holds the metrics, which are many words to copy.
    let task: SessionTask?
    /// Of a download.
    var download: DownloadOutcome?
}

/// The result of a download. A class, so that other requests pay for one pointer.
final class DownloadOutcome: Sendable {
    let temporaryURL: URL?
    let destinationURL: URL?
    /// The location of the file, if the move succeeded.
    let file: URL?
    let resumeData: Data?

    init(temporaryURL: URL?, destinationURL: URL?, file: URL?, resumeData: Data?) {
        self.temporaryURL = temporaryURL
        self.destinationURL = destinationURL
        self.file = file
        self.resumeData = resumeData
    }
}

extension DataResponse {
    /// Serializes.
    init<Serializer: DataResponseSerializerProtocol>(_ completion: borrowing Completion, _ serializer: Serializer)
    where Serializer.SerializedObject == Value {
        let result = serializer.serializeResponse(
            completion.request, completion.response, completion.data, completion.error)
        self.init(
            request: completion.request, response: completion.response, data: completion.data, result: result,
            Measured(completion.task))
    }
}

extension DefaultDataResponse {
    init(_ completion: borrowing Completion) {
        self.init(
            request: completion.request, response: completion.response, data: completion.data, error: completion.error,
            Measured(completion.task))
    }
}

extension DownloadResponse {
    /// Serializes.
    init<Serializer: DownloadResponseSerializerProtocol>(_ completion: borrowing Completion, _ serializer: Serializer)
    where Serializer.SerializedObject == Value {
        let download = completion.download
        let result = serializer.serializeResponse(
            completion.request, completion.response, download?.file, completion.error)
        self.init(
            request: completion.request, response: completion.response, temporaryURL: download?.temporaryURL,
            destinationURL: download?.destinationURL, resumeData: download?.resumeData, result: result,
            Measured(completion.task))
    }
}

extension DefaultDownloadResponse {
    init(_ completion: borrowing Completion) {
        let download = completion.download
        self.init(
            request: completion.request, response: completion.response, temporaryURL: download?.temporaryURL,
            destinationURL: download?.destinationURL, resumeData: download?.resumeData, error: completion.error,
            Measured(completion.task))
    }
}
