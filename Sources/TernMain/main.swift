// SPDX-License-Identifier: Apache-2.0
import TernCLI
import TernRuntime

TernCommand.prepare()
// Without it the command works as well: whatever reactors lack, its requests report.
try? TernRuntime.installSilently()
await TernCommand.main()
