// SPDX-License-Identifier: Apache-2.0
// A user of AFNetworking's manager names the types of Tern.

@_exported public import Tern
