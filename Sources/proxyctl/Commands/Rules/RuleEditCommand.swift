internal import ArgumentParser
internal import ProxydConfigurationText
internal import ProxydControl
internal import ProxydExchangeContent
internal import ProxydParameterCoding

/// `proxyctl rule edit`: opens the file in the user's editor.
struct RuleEditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Edit the rules in $VISUAL or $EDITOR.",
        discussion: "A copy is edited; it replaces the file if it has no mistakes. Otherwise "
            + "the mistakes are reported, and the copy is kept.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: RuleFileOptions
    @Flag(help: "Print the result as a JSON object.")
    var json = false

    func run() throws {
        let access = try options.access(global)
        let before = try access.read()
        let draft = try EditorDraft(Array(before.utf8), named: "rules.toml")
        do {
            try draft.edit()
        } catch {
            draft.remove()
            throw error
        }
        let text: String
        do throws(ConfigurationValueError) {
            text = try ConfigurationFile.contents(of: draft.path)
        } catch {
            throw CommandFailure("\(draft.path): \(error.message)")
        }
        do {
            let inForce = try access.write(text, over: before)
            if let inForce {
                for problem in inForce.problems { Report.warn(problem) }
            } else {
                Report.warn("no daemon is running: \(access.path) takes effect when one starts")
            }
            if json {
                Report().json(
                    .members([
                        ("change", .string("edit")), ("file", .string(access.path)),
                        ("changed", .bool(text != before)), ("in_force", .bool(inForce != nil)),
                    ]))
            }
        } catch {
            Report.warn("your edits are in \(draft.path)")
            throw (error as? RulesFailure)?.told() ?? error
        }
        draft.remove()
    }
}
