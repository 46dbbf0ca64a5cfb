// SPDX-License-Identifier: Apache-2.0
// The engine, and what Foundation adds to it. A name that is imported individually takes precedence over one that comes with a whole
// module: these are ours even if FoundationNetworking is imported as well. In a program that uses TernURLSession in another file, a
// member of the engine is found before one of URLSession's shape because the whole module is imported here.

@_exported public import TernEngine
@_exported public import struct TernEngine.CachedURLResponse
@_exported public import struct TernEngine.HTTPCookie
@_exported public import class TernEngine.HTTPCookieStorage
@_exported public import struct TernEngine.HTTPURLResponse
@_exported public import class TernEngine.URLCache
@_exported public import struct TernEngine.URLRequest
@_exported public import TernFoundation
@_exported public import TernWebSocket
