internal import ArgumentParser

/// `proxyctl proto`: descriptions of protocol buffer messages.
struct ProtoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proto",
        abstract: "Descriptions of gRPC messages.",
        discussion: """
            With them messages of gRPC are shown as JSON with the names of their fields. They are \
            kept in the store; those that servers give away in answers of their reflection are \
            taken from there. See docs/GRPC.md.
            """,
        subcommands: [ProtoAddCommand.self, ProtoListCommand.self, ProtoRemoveCommand.self])
}
