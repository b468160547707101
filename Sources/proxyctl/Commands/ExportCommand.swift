internal import ProxydPresentation
internal import ArgumentParser
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydSystem

/// `proxyctl export`: writes exchanges in a format of other programs.
struct ExportCommand: FileReading {
    /// The export formats.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case har
        case curl
        case jsonl
        case grpcurl
        case openapi
        case postman
        case k6
    }

    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export exchanges as HAR, JSON lines, commands, OpenAPI, Postman or k6.",
        discussion: """
            openapi describes the interface that the exchanges used: paths, parameters and \
            schemas. Names are those of the traffic; what looks like a value is left out. --merge \
            adds to a description what is missing in it.

            --redact removes credentials: Authorization, cookies and the like, and parameters such \
            as password, token and api_key, in heads, URLs and bodies. Bodies and parts that \
            cannot be searched are left out. See docs/INTERCHANGE.md.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var reading: ReadOptions
    @OptionGroup var selection: FilterArgument
    @Option(help: "har, curl, jsonl, grpcurl, openapi, postman or k6.")
    var format: Format
    @Option(
        help: ArgumentHelp(
            "The file to write; it appears only when complete. (default: standard output)",
            valueName: "file"))
    var output: String?
    @Option(
        help: ArgumentHelp(
            "An OpenAPI description in JSON to which is added what is missing in it.",
            valueName: "file"))
    var merge: String?
    @OptionGroup var redaction: RedactionOptions

    func validate() throws {
        guard merge == nil || format == .openapi else {
            throw ValidationError("--merge is for --format openapi")
        }
    }

    func run() throws {
        let filter = try selection.filter()
        let existing = try merge.map { try ExportCommand.description($0) }
        // Created before the store is opened, when root changes to the store's owner.
        let file = try output.flatMap { $0 == "-" ? nil : try AtomicFile($0) }
        let reader = try reading.place(global).reader()
        var run = ExportRun(
            reader: reader, filter: filter ?? .everything,
            sink: file?.sink ?? Environment.current.output, redactor: redaction.redactor)
        run.existing = existing
        var bar = ProgressBar("exporting")
        let report = try Interruption.watched { isInterrupted in
            defer { bar.finish() }
            return try run.write(format, isInterrupted) { fraction, count in
                bar.show(fraction, Quantity.count(count, "exchange"), now: SystemClock.wallNow())
            }
        }
        if report.exchangeCount == 0 {
            if filter != nil { throw CommandFailure("nothing matched") }
            Report.warn("nothing has been recorded yet")
        }
        try file?.commit()
        explain(report)
    }

    /// The largest description that is read, in bytes.
    private static let descriptionByteCountMax = 64 << 20

    private static func description(_ file: String) throws -> JSONValue {
        let input = try InputFile(file, Environment.current)
        var bytes: [UInt8] = []
        while let piece = try input.next(), bytes.count <= descriptionByteCountMax {
            bytes += piece
        }
        guard let value = OpenAPIWriter.description(bytes) else {
            throw CommandFailure("\(file) is not a description of OpenAPI 3.1 in JSON")
        }
        return value
    }

    private func explain(_ report: ExportReport) {
        if report.leftOutCount > 0 {
            Report.warn(
                "left out \(Quantity.count(report.leftOutCount, "part")) that could not be "
                    + "searched for credentials")
        }
        if report.withoutCommandCount > 0 {
            Report.warn(
                "\(Quantity.count(report.withoutCommandCount, "exchange")) could not be "
                    + "written as a command: see the comments")
        }
        if let output, output != "-" {
            Report().line("\(output): \(Quantity.count(report.exchangeCount, "exchange"))")
        }
    }
}
