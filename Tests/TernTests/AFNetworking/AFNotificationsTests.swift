// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernAFNetworking
import TestProofs
import Testing

@Suite struct AFNotificationsTests {
    @Test(.proves("1.21a")) func `notifications have AFNetworking's names`() {
        let names: [Notification.Name] = [
            .AFNetworkingTaskDidResume, .AFNetworkingTaskDidSuspend, .AFNetworkingTaskDidComplete,
            .AFURLSessionDidInvalidate, .AFURLSessionDownloadTaskDidMoveFileSuccessfully,
            .AFURLSessionDownloadTaskDidFailToMoveFile,
        ]
        let suffixes = [
            "task.resume", "task.suspend", "task.complete", "session.invalidate",
            "session.download.file-manager-succeed", "session.download.file-manager-error",
        ]
        #expect(names.map(\.rawValue) == suffixes.map { "com.alamofire.networking.\($0)" })
    }
}
