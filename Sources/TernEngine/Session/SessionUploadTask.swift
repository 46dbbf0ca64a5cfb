// SPDX-License-Identifier: Apache-2.0

/// A task that was created to send content, and brings a response as well.
public final class SessionUploadTask: SessionDataTask, @unchecked Sendable {}
