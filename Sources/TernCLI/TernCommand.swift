// SPDX-License-Identifier: Apache-2.0
@main struct TernCommand { static func main() {} }
