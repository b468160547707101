internal import ProxydExchangeContent
internal import ProxydPresentation
internal import ArgumentParser
internal import ProxydCaptureModel
internal import ProxydCivilTime
internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydProtobuf

/// `proxyctl proto list`: lists the files that describe messages.
struct ProtoListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the files that describe messages.")

    @OptionGroup var global: GlobalOptions
    @Flag(help: "One JSON object per line.")
    var json = false

    func run() throws {
        let reader: any ExchangeReading = try StoreAccess.reader(global.dataDirectory())
        let files = try StoreAccess.attempt { () throws(StoreError) in try reader.protoFiles() }
            .sorted { $0.name < $1.name }
        let report = Report()
        if json {
            for file in files { report.json(ProtoListCommand.value(file)) }
            return
        }
        guard !files.isEmpty else {
            return Report.warn("no descriptions yet: see proxyctl proto add")
        }
        var table = TextTable([
            TextTable.Column(title: "NAME"), TextTable.Column(title: "SOURCE"),
            TextTable.Column(title: "ADDED"), TextTable.Column(title: "SERVICES"),
        ])
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
