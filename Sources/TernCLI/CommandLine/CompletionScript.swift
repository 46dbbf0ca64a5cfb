// SPDX-License-Identifier: Apache-2.0

/// The shells that complete command lines of `tern`, and the script for each.
enum CompletionScript: String {
    case bash, zsh, fish

    /// - Parameter root: the command `tern` itself.
    func text(for root: any ToolCommand.Type) -> String {
        let standard = root.defaultSubcommand ?? root
        return switch self {
        case .bash: Self.bashText(root, standard)
        case .zsh: Self.zshText(root, standard)
        case .fish: Self.fishText(root, standard)
        }
    }

    /// The commands that are run, by the words that call them.
    private static func calls(
        below command: any ToolCommand.Type, _ words: [String] = []
    ) -> [(words: [String], command: any ToolCommand.Type)] {
        command.subcommands.flatMap { next in
            let words = words + [next.name]
            return next.subcommands.isEmpty ? [(words, next)] : calls(below: next, words)
        }
    }

    /// Those with the same options together.
    private static func groups(
        below root: any ToolCommand.Type
    ) -> [[(words: [String], command: any ToolCommand.Type)]] {
        var groups: [[(words: [String], command: any ToolCommand.Type)]] = []
        for call in calls(below: root) {
            let usages = call.command.descriptions.map(\.usage)
            if let index = groups.firstIndex(where: { $0[0].command.descriptions.map(\.usage) == usages }) {
                groups[index].append(call)
            } else {
                groups.append([call])
            }
        }
        return groups
    }

    private static func options(of command: any ToolCommand.Type) -> [OptionDescription] {
        command.descriptions.filter { !$0.isOperand } + HelpText.common
    }

    private static func words(_ words: some Sequence<String>) -> String { words.joined(separator: " ") }

    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }

    private static func bashText(_ root: any ToolCommand.Type, _ standard: any ToolCommand.Type) -> String {
        let cases = groups(below: root).compactMap { group in
            group.first.map { bashCase(group.map(\.words), $0.command) }
        }
        let families = root.subcommands.filter { !$0.subcommands.isEmpty }.map { family in
            let patterns = [family.name + " ", "help " + family.name + " "].map(quoted).joined(separator: "|")
            return "        \(patterns)) commands=\(quoted(words(family.subcommands.map { $0.name }))) ;;"
        }
        let names = words(root.subcommands.map { $0.name })
        return """
            # Completes command lines of tern in bash.
            _tern() {
                local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
                # "--tls-max=1" is three words.
                if [[ $word == '=' ]]; then
                    word=''
                elif [[ $previous == '=' ]]; then
                    previous=${COMP_WORDS[COMP_CWORD-2]}
                fi
                local options files folders others values entry choices='' commands=''
                local before="${COMP_WORDS[*]:1:COMP_CWORD-1} "
                case "$before" in
            \(cases.joined(separator: "\n"))
                    *)
            \(bashVariables(standard, and: root.descriptions))
                        ;;
                esac
                case "$before" in
                    ' ') commands=\(quoted(names + " help")) ;;
                    'help ') commands=\(quoted(names)) ;;
            \(families.joined(separator: "\n"))
                esac
                for entry in $values; do
                    if [[ $entry == "$previous:"* ]]; then choices=${entry#*:}; fi
                done
                if [[ -n $choices ]]; then
                    COMPREPLY=($(compgen -W "${choices//|/ }" -- "$word"))
                elif [[ " $files " == *" $previous "* ]]; then
                    COMPREPLY=($(compgen -f -- "$word"))
                elif [[ " $folders " == *" $previous "* ]]; then
                    COMPREPLY=($(compgen -d -- "$word"))
                elif [[ " $others " == *" $previous "* ]]; then
                    COMPREPLY=()
                elif [[ $word == -* ]]; then
                    COMPREPLY=($(compgen -W "$options" -- "$word"))
                else
                    COMPREPLY=($(compgen -W "$commands" -- "$word"))
                fi
            }
            complete -o default -F _tern tern

            """
    }

    private static func bashCase(_ calls: [[String]], _ command: any ToolCommand.Type) -> String {
        """
                \(calls.map { "\"\(words($0)) \"*" }.joined(separator: "|")))
        \(bashVariables(command))
                    ;;
        """
    }

    private static func bashVariables(
        _ command: any ToolCommand.Type, and more: [OptionDescription] = []
    ) -> String {
        let options = options(of: command) + more
        let names = { (isWanted: (OptionDescription.ValueKind) -> Bool) in
            quoted(words(options.filter { $0.valueKind.map(isWanted) ?? false }.flatMap(\.names)))
        }
        let values = options.flatMap { option -> [String] in
            guard case .words(let choices)? = option.valueKind else { return [] }
            return option.names.map { $0 + ":" + choices.joined(separator: "|") }
        }
        let topics = ["-h", "--help"].map { $0 + ":" + HelpText.topics(of: command).joined(separator: "|") }
        return """
                        options=\(quoted(words(options.flatMap(\.names))))
                        files=\(names { $0 == .file })
                        folders=\(names { $0 == .folder })
                        others=\(names { $0 == .other || $0 == .number })
                        values=\(quoted(words(values + topics)))
            """
    }

    private static func zshText(_ root: any ToolCommand.Type, _ standard: any ToolCommand.Type) -> String {
        let functions =
            ([(["tern"], standard)] + calls(below: root).map { (["tern"] + $0.words, $0.command) })
            .map { call, command in
                let more = call == ["tern"] ? root.descriptions : []
                let specs =
                    (options(of: command) + more).flatMap(zshSpecs)
                    + command.descriptions.filter(\.isOperand).map(zshOperand)
                return "_\(call.joined(separator: "_"))_arguments() {\n    _arguments -s -S \\\n        "
                    + specs.joined(separator: " \\\n        ") + "\n}"
            }
        return """
            #compdef tern
            # Completes command lines of tern in zsh.
            \(functions.joined(separator: "\n"))
            _tern() {
                local -a commands=(\(root.subcommands.map { quoted($0.name + ":" + zshText($0.abstract)) }.joined(separator: " ")) help)
                if (( CURRENT == 2 )); then
                    _describe command commands
                fi
                if [[ ${words[2]} == help ]]; then compadd \(words(root.subcommands.map { $0.name })); return; fi
                local name=_tern_${words[2]}_arguments
                if (( CURRENT > 3 )) && (( $+functions[_tern_${words[2]}_${words[3]}_arguments] )); then
                    name=_tern_${words[2]}_${words[3]}_arguments
                    words=(tern "${(@)words[4,-1]}"); (( CURRENT -= 2 ))
                elif (( CURRENT > 2 )) && (( $+functions[$name] )); then
                    words=(tern "${(@)words[3,-1]}"); (( CURRENT -= 1 ))
                else
            \(root.subcommands.filter { !$0.subcommands.isEmpty }.map { family in
            "        if [[ ${words[2]} == \(family.name) ]]; then compadd \(words(family.subcommands.map { $0.name })); return; fi"
            }.joined(separator: "\n"))
                    name=_tern_arguments
                fi
                $name
            }
            # Loaded as a function of its name, or read at the start of a shell.
            if [[ ${funcstack[1]} == _tern ]]; then _tern "$@"; else compdef _tern tern; fi

            """
    }

    private static func zshSpecs(_ option: OptionDescription) -> [String] {
        let help = "[" + zshText(option.help) + "]"
        return option.names.map { name in
            guard let value = option.value else { return quoted("*" + name + help) }
            let joint = name.hasPrefix("--") ? "=" : "+"
            return quoted("*" + name + joint + help + ":" + zshText(value) + ":" + zshAction(option.valueKind))
        }
    }

    private static func zshAction(_ kind: OptionDescription.ValueKind?) -> String {
        switch kind {
        case .file: "_files"
        case .folder: "_files -/"
        case .words(let choices): "(" + words(choices) + ")"
        case .number, .other, nil: " "
        }
    }

    private static func zshOperand(_ operand: OptionDescription) -> String {
        let action = operand.valueKind == .file ? "_files" : "_urls"
        return quoted((operand.repeats ? "*" : "") + ":" + zshText(operand.value ?? "") + ":" + action)
    }

    private static func zshText(_ help: String) -> String {
        HelpText.summary(help).map { "[]:\\".contains($0) ? "\\\($0)" : String($0) }.joined()
    }

    private static func fishText(_ root: any ToolCommand.Type, _ standard: any ToolCommand.Type) -> String {
        let commands = root.subcommands
        let first = commands.map { command in
            "complete -c tern -n __fish_use_subcommand -f -a \(command.name) -d \(quoted(HelpText.summary(command.abstract)))"
        }
        let families = commands.filter { !$0.subcommands.isEmpty }.flatMap { family in
            family.subcommands.map { command in
                let place = "'__fish_seen_subcommand_from \(family.name)'"
                return
                    "complete -c tern -n \(place) -f -a \(command.name) -d \(quoted(HelpText.summary(command.abstract)))"
            }
        }
        var options = fishLines("not __fish_seen_subcommand_from \(words(commands.map { $0.name }))", standard)
        for group in groups(below: root) {
            if let first = group.first, group.allSatisfy({ $0.words.count == 1 }) {
                options += fishLines("__fish_seen_subcommand_from \(words(group.flatMap(\.words)))", first.command)
                continue
            }
            for call in group {
                options += fishLines(
                    call.words.map { "__fish_seen_subcommand_from \($0)" }.joined(separator: "; and "), call.command)
            }
        }
        let help =
            "complete -c tern -n '__fish_seen_subcommand_from help' -f -a " + quoted(words(commands.map { $0.name }))
        let own = fishLines("__fish_use_subcommand", root, root.descriptions)
        return "# Completes command lines of tern in fish.\n"
            + (first + [help] + families + own + options).joined(separator: "\n") + "\n"
    }

    private static func fishLines(
        _ condition: String, _ command: any ToolCommand.Type, _ only: [OptionDescription]? = nil
    ) -> [String] {
        (only ?? options(of: command)).map { option in
            let names = option.names.map { name in
                name.hasPrefix("--") ? "-l \(name.dropFirst(2))" : "-s \(quoted(String(name.dropFirst())))"
            }
            let value = fishValue(option.valueKind)
            return
                "complete -c tern -n \(quoted(condition)) \(words(names))\(value) -d \(quoted(HelpText.summary(option.help)))"
        }
    }

    private static func fishValue(_ kind: OptionDescription.ValueKind?) -> String {
        switch kind {
        case .file: " -r -F"
        case .folder: " -x -a '(__fish_complete_directories)'"
        case .words(let choices): " -x -a " + quoted(words(choices))
        case .number, .other: " -x"
        case nil: ""
        }
    }
}
