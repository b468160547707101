internal import ArgumentParser

/// `proxyctl proto remove`: removes a file that describes messages.
struct ProtoRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Forget a file that describes messages.")

    @OptionGroup var global: GlobalOptions
    @Argument(help: ArgumentHelp("The name, as proto list has it.", valueName: "name"))
    var name: String

    func run() throws {
        let isThere = try StoreChanger.open(global.dataDirectory()).removeProtoFile(named: name)
        if !isThere { throw CommandFailure("nothing named \(name) is there: see proto list") }
    }
}
