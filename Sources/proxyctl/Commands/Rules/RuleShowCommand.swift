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

    func run() throws {
        let access = try options.access(global)
        do {
            let text = try RulesText(try access.readInForce(), file: access.path)
            for line in try text.text(of: name).split(
                separator: "\n", omittingEmptySubsequences: false
            ).dropLast() {
                Report().line(StyledText(String(line)))
            }
        } catch let error as ConfigurationError {
            throw RulesAccess.failure(error)
        } catch let error as RulesText.Problem {
            throw CommandFailure("\(error)")
        }
    }
}
