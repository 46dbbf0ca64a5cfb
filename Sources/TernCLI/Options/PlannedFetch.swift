// SPDX-License-Identifier: Apache-2.0
import Tern

/// One URL, ready to be requested.
struct PlannedFetch {
    /// Its position among the URLs, from 0.
    let index: Int
    let target: RequestedURL
    let request: Tern.URLRequest
    /// The output of the body; nil is standard output.
    let path: String?
}
