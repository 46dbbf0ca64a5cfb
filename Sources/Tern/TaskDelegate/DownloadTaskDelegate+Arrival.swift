// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

extension DownloadTaskDelegate {
    /// The state of a download, behind a lock of its own. Methods return the user's values, to be released outside it.
    struct Arrival {
        private(set) var destination: DownloadFileDestination?
        /// Stays true when the destination has been released.
        private var isMoved: Bool
        private(set) var temporaryURL: URL?
        private(set) var destinationURL: URL?
        private(set) var resumeData: Data?
        /// The file has not been moved yet.
        private var isWaiting = false
        /// Waits until it has.
        private var end: End?
        /// Where an attempt that was retried has put its file: the next one's replaces it.
        var placed: URL?
        /// Whether the caller that cancels wants to resume later.
        var createsResumeData = true
        /// Bytes that are in the file, and those that will be.
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

        /// Ends the task. Returns true if the callback queue has to move the file first.
        mutating func complete(with end: End) -> Bool {
            resumeData = (end.error as? SessionError)?.resumeData
            if destination == nil { return false }
            self.end = end
            return true
        }

        mutating func takeEnd() -> End? { end.take() }

        /// Where the file is that is to be moved: once.
        mutating func takeArrived() -> URL? {
            defer { isWaiting = false }
            return isWaiting ? temporaryURL : nil
        }

        /// Sets where the file is to be. True if it may take the place of an earlier attempt's.
        @discardableResult
        mutating func name(_ target: URL) -> Bool {
            (isMoved, destinationURL) = (true, target)
            return placed == target
        }

        /// Another attempt begins. Gives back where the last one's file was left.
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
