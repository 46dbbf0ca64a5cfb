// SPDX-License-Identifier: Apache-2.0

// In its pool's list of idle connections.
extension Connection: IntrusiveQueueElement {}
