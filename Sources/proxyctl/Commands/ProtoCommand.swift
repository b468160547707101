internal import ArgumentParser

/// `proxyctl proto`: descriptions of protocol buffer messages.
struct ProtoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proto",
        abstract: "Manage the descriptions of gRPC messages.",
        discussion: """
            With a description, gRPC messages are shown as JSON with field names. Descriptions are \
            kept in the store; those that servers reveal through gRPC reflection are recorded \
            automatically. See docs/GRPC.md.
            """,
        subcommands: [ProtoAddCommand.self, ProtoListCommand.self, ProtoRemoveCommand.self])
}
