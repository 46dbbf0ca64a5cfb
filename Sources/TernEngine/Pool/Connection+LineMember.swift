// SPDX-License-Identifier: Apache-2.0

// On its pool's shelf.
extension Connection: LineMember {}
