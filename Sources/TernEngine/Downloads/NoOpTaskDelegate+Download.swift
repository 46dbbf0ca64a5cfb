// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

extension NoOpTaskDelegate: SessionDownloadDelegate {
    package func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL) {}
}
