// SPDX-License-Identifier: Apache-2.0
// All of Tern, and URLSession's names, which take precedence over Foundation's: see TernURLSession.

@_exported public import Tern
@_exported public import TernAFNetworking
@_exported public import TernURLSession
