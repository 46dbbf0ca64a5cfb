// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

extension DownloadTaskDelegate {
    /// The state of a download, guarded by a lock of its own. Methods return user objects, to be released outside the
    /// lock.
    struct DownloadState {
        private(set) var destination: DownloadFileDestination?
        /// Stays true when the destination has been released.
        private var isMoved: Bool
        private(set) var temporaryURL: URL?
        private(set) var destinationURL: URL?
        private(set) var resumeData: Data?
        /// The file has not been moved yet.
        private var isWaiting = false
        /// The end, which waits for the move.
        private var end: End?
        /// The location of a retried attempt's file, which the next one replaces.
        var placed: URL?
        /// Whether the cancelling caller wants to resume later.
        var createsResumeData = true
        /// The numbers of bytes written, and expected.
        var written: Int64 = 0
        var expected: Int64 = 0

        init(destination: DownloadFileDestination?) {
            self.destination = destination
            isMoved = destination != nil
        }

        var file: URL? { isMoved ? destinationURL : temporaryURL }

        var outcome: DownloadOutcome {
            DownloadOutcome(
                temporaryURL: temporaryURL, destinationURL: destinationURL, file: file, resumeData: resumeData)
        }

        mutating func arrive(at location: URL) {
            temporaryURL = location
            isWaiting = true
        }

        /// Ends the task. Returns true if the callback queue must move the file first.
        mutating func complete(with end: End) -> Bool {
            resumeData = (end.error as? SessionError)?.resumeData
            if destination == nil { return false }
            self.end = end
            return true
        }

        mutating func takeEnd() -> End? { end.take() }

        /// The location of the file to move: returned once.
        mutating func takeArrived() -> URL? {
            defer { isWaiting = false }
            return isWaiting ? temporaryURL : nil
        }

        /// Sets the destination of the file. True if it may replace an earlier attempt's.
        @discardableResult
        mutating func name(_ target: URL) -> Bool {
            (isMoved, destinationURL) = (true, target)
            return placed == target
        }

        /// Another attempt begins. Returns the location of the last one's file.
        mutating func reset() -> URL? {
            let leftover = isMoved ? nil : temporaryURL
            isMoved = destination != nil
            (temporaryURL, destinationURL, resumeData) = (nil, nil, nil)
            (isWaiting, written, expected) = (false, 0, 0)
            return leftover
        }

        mutating func releaseClosures() -> DownloadFileDestination? { destination.take() }
    }
}
