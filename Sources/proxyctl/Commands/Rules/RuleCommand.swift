internal import ArgumentParser

/// `proxyctl rule`: rules that act on traffic.
struct RuleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rule",
        abstract: "Rules: what is done to traffic.",
        discussion: """
            Rules are in a file, rules.toml beside proxyd.toml; a daemon goes by it as soon as it \
            is saved. These commands edit it by lines: comments and layout stay. See docs/RULES.md.
            """,
        subcommands: [
            RuleListCommand.self, RuleShowCommand.self, RuleAddCommand.self,
            RuleMapCommand.self, RuleEditCommand.self, RuleEnableCommand.self,
            RuleDisableCommand.self, RuleMoveCommand.self, RuleRemoveCommand.self,
            RuleTestCommand.self, RuleReloadCommand.self,
        ])
}
