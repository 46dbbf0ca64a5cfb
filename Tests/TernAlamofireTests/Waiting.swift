// SPDX-License-Identifier: Apache-2.0
// Call sites that wait for what is still to be built. Nothing here is compiled.
#if false
    import Foundation
    import TernAlamofire
    import Testing

    @Suite struct Waiting {
        @Test func `caches: a response to be stored is shown to a closure`() {
            SessionManager.default.delegate.dataTaskWillCacheResponse = { _, _, response in
                CachedURLResponse(response: response.response, data: response.data, storagePolicy: .allowedInMemoryOnly)
            }
        }
    }
#endif
