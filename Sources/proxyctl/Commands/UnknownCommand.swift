internal import ArgumentParser
internal import ProxydFilter

/// An unknown command, with suggestions for what was meant.
struct UnknownCommand {
    private let name: String
    private let parent: any ParsableCommand.Type

    init(name: String, among parent: any ParsableCommand.Type) {
        self.name = name
        self.parent = parent
    }

    /// Finds the unknown command in arguments that could not be parsed, or returns nil if there is
    /// none.
    init?(in arguments: [String]) {
        var command: any ParsableCommand.Type = Proxyctl.self
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" { return nil }
            if Proxyctl.valueOptions.contains(argument) {
                _ = rest.popFirst()
                continue
            }
            if argument.hasPrefix("-") { continue }
            guard !command.configuration.subcommands.isEmpty else { return nil }
            guard let next = CommandNames.subcommand(argument, of: command) else {
                self.init(name: argument, among: command)
                return
            }
            command = next
        }
        return nil
    }

    /// A message such as `there is no command "lsit": did you mean list?`
    var message: String {
        let known = parent.configuration.subcommands.map { CommandNames.name(of: $0) }
        let near = NearNames.of(name.lowercased(), among: known)
        let path = parent == Proxyctl.self ? "" : "\(CommandNames.name(of: parent)) "
        let hint =
            near.isEmpty
            ? "see proxyctl \(path)--help"
            : "did you mean \(near.map { path + $0 }.joined(separator: " or "))?"
        return "there is no command \"\(path)\(name)\": \(hint)"
    }
}

/// Commands by their names on the command line.
enum CommandNames {
    static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? ""
    }

    static func subcommand(
        _ name: String, of command: any ParsableCommand.Type
    ) -> (any ParsableCommand.Type)? {
        command.configuration.subcommands.first { self.name(of: $0) == name }
    }
}
