// SPDX-License-Identifier: Apache-2.0
import Tern

/// One URL, ready to be asked for.
struct PlannedFetch {
    /// Its place among the URLs, from 0.
    let index: Int
    let target: RequestedURL
    let request: Tern.URLRequest
    /// Where the body goes; nil is standard output.
    let path: String?
}
