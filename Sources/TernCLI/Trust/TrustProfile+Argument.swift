// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
public import TernTLS

/// `standard` or `web`, as in a policy file.
extension TrustProfile: ExpressibleByArgument {}
