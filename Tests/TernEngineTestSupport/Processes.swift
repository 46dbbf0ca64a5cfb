// SPDX-License-Identifier: Apache-2.0
import Testing

/// Tests that need a process of their own, one at a time: waiting for a process takes up one of the few threads that
/// Swift tasks run on, and all other tests with it.
@Suite(.serialized, .timeLimit(.minutes(5))) enum Processes {}
