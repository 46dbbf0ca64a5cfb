// SPDX-License-Identifier: Apache-2.0

/// A task that brings a response, with the content its request has.
public class SessionDataTask: SessionTask, @unchecked Sendable {}
