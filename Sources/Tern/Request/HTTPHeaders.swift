// SPDX-License-Identifier: Apache-2.0

/// Header fields of a request by name. For repeats and order, set `URLRequest.headers`.
public typealias HTTPHeaders = [String: String]
