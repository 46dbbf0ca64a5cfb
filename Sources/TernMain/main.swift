// SPDX-License-Identifier: Apache-2.0
import TernCLI
import TernRuntime

// Without the runtime the command works as well: whatever reactors lack, its requests report.
await TernCommand.main { try? TernRuntime.installSilently() }
