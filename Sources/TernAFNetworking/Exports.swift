// SPDX-License-Identifier: Apache-2.0
// A user of AFNetworking's manager needs the types of Tern.

@_exported public import Tern
