internal import ArgumentParser

/// `proxyctl rule`: rules that act on traffic.
struct RuleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rule",
        abstract: "Manage the rules that change traffic.",
        discussion: """
            Rules are in the file rules.toml next to proxyd.toml; the daemon applies it as soon as \
            it is saved. These commands edit single lines: comments and layout stay. See \
            docs/RULES.md.
            """,
        subcommands: [
            RuleListCommand.self, RuleShowCommand.self, RuleAddCommand.self,
            RuleMapCommand.self, RuleEditCommand.self, RuleEnableCommand.self,
            RuleDisableCommand.self, RuleMoveCommand.self, RuleRemoveCommand.self,
            RuleTestCommand.self, RuleReloadCommand.self,
        ])
}
