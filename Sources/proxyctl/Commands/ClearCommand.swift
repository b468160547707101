internal import ProxydPresentation
internal import ArgumentParser

/// `proxyctl clear`: deletes exchanges.
struct ClearCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Delete exchanges.",
        discussion: """
            Without FILTER, everything that is not pinned is deleted; with a filter, everything \
            that it matches, pinned or not.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var selection: FilterArgument
    @Flag(help: "Confirm the deletion.")
    var yes = false

    func validate() throws {
        if !yes { throw ValidationError("nothing was deleted: confirm with --yes") }
    }

    func run() throws {
        let filter = try selection.filter()
        let count = try StoreChanger.open(global.dataDirectory()).clear(filter)
        if count == 0, filter != nil { throw CommandFailure("nothing matched") }
        Report().line("deleted \(Quantity.count(count, "exchange"))")
    }
}
