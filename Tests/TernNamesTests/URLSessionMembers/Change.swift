// SPDX-License-Identifier: Apache-2.0

/// Takes a property that is read and set, and names its type.
func change<Value>(_ value: inout Value, as type: Value.Type) {}
