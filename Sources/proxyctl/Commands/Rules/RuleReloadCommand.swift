internal import ArgumentParser
internal import ProxydControl
internal import ProxydExchangeContent
internal import ProxydParameterCoding

/// `proxyctl rule reload`: makes the daemon read the file again.
struct RuleReloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Make the daemon read the rules again.",
        discussion:
            "It does so by itself when the file is saved. If the file has a mistake, the exit "
            + "status is 78, and the old rules stay in force.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: RuleFileOptions
    @Flag(help: "Also drop temporary changes.")
    var forget = false
    @Flag(help: "Print the result as a JSON object.")
    var json = false

    func run() throws {
        let access = try options.access(global)
        if forget { _ = try access.tell(.forgetAll) }
        guard let inForce = try access.reload() else {
            throw CommandFailure("no daemon is running")
        }
        if json {
            Report().json(
                .members([
                    ("rules", .integer(inForce.rules.count)),
                    ("problems", .array(inForce.problems.map(JSONValue.string))),
                    ("dropped", .array(inForce.leftOut.map(JSONValue.string))),
                ]))
        }
        guard inForce.problems.isEmpty else {
            throw RulesFailure.mistakes(inForce.problems).told()
        }
        for change in inForce.leftOut { Report.warn("a temporary change was dropped: \(change)") }
        Report.warn("rules in force: \(inForce.rules.count)")
    }
}
