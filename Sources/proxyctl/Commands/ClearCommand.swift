internal import ProxydPresentation
internal import ArgumentParser

/// `proxyctl clear`: deletes exchanges.
struct ClearCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Delete exchanges.",
        discussion: """
            Without FILTER everything is deleted that is not pinned; a filter deletes what it \
            matches, pinned or not.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var selection: FilterArgument
    @Flag(help: "Yes, delete them.")
    var yes = false

    func validate() throws {
        if !yes { throw ValidationError("nothing was deleted: --yes is missing") }
    }

    func run() throws {
        let filter = try selection.filter()
        let count = try StoreChanger.open(global.dataDirectory()).clear(filter)
        if count == 0, filter != nil { throw CommandFailure("nothing matched") }
        Report().line("deleted \(Quantity.count(count, "exchange"))")
    }
}
