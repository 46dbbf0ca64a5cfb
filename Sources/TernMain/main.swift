// SPDX-License-Identifier: Apache-2.0
import TernCLI
import TernRuntime

await TernCommand.main(starting: TernRuntime.installSilently)
