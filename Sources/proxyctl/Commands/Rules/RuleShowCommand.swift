internal import ProxydPresentation
internal import ArgumentParser
internal import ProxydConfigurationText
internal import ProxydRules

/// `proxyctl rule show`: shows a rule as written in the file.
struct RuleShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a rule as written in the file.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: RuleFileOptions
    @Argument(help: "The rule's name.")
    var name: String
    @Flag(help: "Print a JSON object, as in rule list, with the text.")
    var json = false

    func run() throws {
        let access = try options.access(global)
        do {
            let inForce = try access.readInForce()
            let text = try RulesText(inForce, file: access.path).text(of: name)
            if json {
                let rules = try RulesAccess.parse(inForce, access.path).rules
                guard let rule = rules.first(where: { $0.name == name }) else { return }
                return Report().json(RuleJSON(access).value(rule, text: text))
            }
            for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                Report().line(StyledText(String(line)))
            }
        } catch let error as ConfigurationError {
            throw RulesAccess.failure(error)
        } catch let error as RulesText.Problem {
            throw CommandFailure("\(error)")
        }
    }
}
