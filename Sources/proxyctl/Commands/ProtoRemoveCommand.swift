internal import ArgumentParser

/// `proxyctl proto remove`: removes a file that describes messages.
struct ProtoRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a file that describes messages.")

    @OptionGroup var global: GlobalOptions
    @Argument(help: ArgumentHelp("The file's name in proto list.", valueName: "name"))
    var name: String

    func run() throws {
        let isThere = try StoreChanger.open(global.dataDirectory()).removeProtoFile(named: name)
        if !isThere { throw CommandFailure("there is no file named \(name): see proto list") }
    }
}
