internal import ProxydCaptureModel
internal import ProxydCivilTime
internal import ProxydExchangeContent
internal import ProxydParameterCoding
internal import ProxydPresentation
internal import ProxydProtobuf
internal import ArgumentParser

/// `proxyctl proto`: descriptions of protocol buffer messages.
struct ProtoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proto", abstract: "Manage the descriptions of gRPC messages.",
        discussion: """
            With a description, gRPC messages are shown as JSON with field names. Descriptions are \
            kept in the store; those that servers reveal through gRPC reflection are recorded \
            automatically. See docs/GRPC.md.
            """,
        subcommands: [ProtoAddCommand.self, ProtoListCommand.self, ProtoRemoveCommand.self])
}

struct ProtoListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the files that describe messages.")

    @OptionGroup var global: GlobalOptions
    @Flag(help: "One JSON object per line.")
    var json = false

    func run() throws {
        let reader: any ExchangeReading = try StoreOpener.reader(global.dataDirectory())
        let files = try reader.protoFiles()
            .sorted { $0.name < $1.name }
        let report = Report()
        if json {
            for file in files { report.json(ProtoListCommand.value(file)) }
            return
        }
        guard !files.isEmpty else {
            return Report.warn("no descriptions yet: see proxyctl proto add")
        }
        var table = TextTable(titles: ["NAME", "SOURCE", "ADDED", "SERVICES"])
        for file in files {
            let services = (try? FileDescriptor(bytes: file.bytes))?.services ?? []
            table.append([
                StyledText(file.name), StyledText(file.source.rawValue),
                StyledText(WallTime.local.full(file.addedNs), .dim),
                StyledText(services.map(\.fullName).joined(separator: " ")),
            ])
        }
        for line in table.lines() { report.line(line) }
    }

    private static func value(_ file: ProtoFile) -> JSONValue {
        let described = try? FileDescriptor(bytes: file.bytes)
        return .members([
            ("name", .string(file.name)), ("source", .string(file.source.rawValue)),
            ("added_at", .string(RFC3339.text(nanoseconds: file.addedNs))),
            ("bytes", .integer(file.bytes.count)), ("package", .text(described?.package)),
            ("services", .strings(described?.services.map(\.fullName) ?? [])),
            ("messages", .integer(described?.messages.count ?? 0)),
        ])
    }
}

struct ProtoAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Store the message descriptions of a descriptor set.",
        discussion: """
            To make a descriptor set from .proto files, run protoc --include_imports \
            --descriptor_set_out=all.pb service.proto. A file with the same name as an existing \
            one replaces it.
            """)

    private static let byteCountMax = 64 << 20

    @OptionGroup var global: GlobalOptions
    @Argument(help: ArgumentHelp("A descriptor set; - is standard input.", valueName: "file"))
    var file: String

    func run() throws {
        let files = try ProtoAddCommand.files(in: read(), named: file)
        let directory = try global.dataDirectory()
        try StoreChanger.open(directory).addProtoFiles(
            files.map { ProtoFile(name: $0.described.name, source: .given, bytes: $0.bytes) })
        let described = files.map(\.described)
        let serviceCount = described.reduce(0) { $0 + $1.services.count }
        let text =
            "added \(Quantity.count(files.count, "file")) with "
            + Quantity.count(serviceCount, "service")
        Report().line(StyledText(text))
        let reader: any ExchangeReading = try StoreOpener.reader(directory)
        let there = try reader.protoFiles()
        warnOfMissing(described, Set(there.map(\.name)))
    }

    private func read() throws -> [UInt8] {
        let limit = Quantity.bytes(Int64(ProtoAddCommand.byteCountMax))
        return try InputFile.contents(
            of: file, upTo: ProtoAddCommand.byteCountMax,
            else: CommandFailure("\(file): larger than \(limit)"))
    }

    /// The files in a descriptor set; the error for any other file says how to create one.
    static func files(
        in bytes: [UInt8], named name: String
    ) throws -> [(described: FileDescriptor, bytes: [UInt8])] {
        if isSource(bytes, name) {
            throw CommandFailure(
                "\(name) is a .proto file, not a descriptor set",
                nextStep: "compile it, and add the result: protoc --include_imports "
                    + "--descriptor_set_out=\(name).pb \(name)")
        }
        do {
            return try FileDescriptorSet.files(of: bytes).map {
                (try FileDescriptor(bytes: $0), $0)
            }
        } catch {
            throw CommandFailure(
                "\(name) is not a descriptor set as written by protoc --include_imports "
                    + "--descriptor_set_out: \(error)")
        }
    }

    /// Whether a file is the source of a descriptor set: text, which a set can never be.
    private static func isSource(_ bytes: [UInt8], _ name: String) -> Bool {
        guard (try? FileDescriptorSet.files(of: bytes)) == nil else { return false }
        let text = String(decoding: bytes.prefix(1 << 16), as: UTF8.self)
        return name.hasSuffix(".proto")
            || ["syntax", "message ", "service ", "import "].contains { text.contains($0) }
    }

    /// Warns of imported files that are missing. Well-known types need no description.
    private func warnOfMissing(_ files: [FileDescriptor], _ there: Set<String>) {
        let imported = Set(files.flatMap(\.dependencies))
        let missing = imported.subtracting(there).filter { !$0.hasPrefix("google/protobuf/") }
        guard let first = missing.min() else { return }
        let more = missing.count > 1 ? " and \(missing.count - 1) more" : ""
        Report.warn("\(first)\(more) is imported but missing: use protoc --include_imports")
    }
}

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
