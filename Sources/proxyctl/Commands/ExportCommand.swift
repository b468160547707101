internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydPresentation
internal import ProxydProcessSetup
internal import ProxydRedaction
internal import ProxydSystem
internal import ArgumentParser
internal import Glibc

/// `proxyctl export`: writes exchanges in a format of other programs.
struct ExportCommand: FileReading {
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
        let reader = try reading.location(global).reader()
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
        let problem = CommandFailure("\(file) is not a description of OpenAPI 3.1 in JSON")
        let bytes = try InputFile.contents(of: file, upTo: descriptionByteCountMax, else: problem)
        guard let value = OpenAPIWriter.description(bytes) else { throw problem }
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

/// Options of commands that can remove credentials from their output.
struct RedactionOptions: ParsableArguments {
    @Flag(help: "Remove credentials.")
    var redact = false
    @Option(
        name: .customLong("redact-header"),
        help: ArgumentHelp(
            "Also remove the values of this field; may be repeated. Implies --redact.",
            valueName: "name"))
    var fieldNames: [String] = []
    @Option(
        name: .customLong("redact-parameter"),
        help: ArgumentHelp(
            "Also remove the values of this parameter; may be repeated. Implies --redact.",
            valueName: "name"))
    var parameterNames: [String] = []

    func validate() throws {
        if (fieldNames + parameterNames).contains("") {
            throw ValidationError("a name to redact must not be empty")
        }
    }

    /// Removes credentials, or nil if that was not requested.
    var redactor: ExchangeRedactor? {
        guard redact || !fieldNames.isEmpty || !parameterNames.isEmpty else { return nil }
        return ExchangeRedactor(Redaction(addingFields: fieldNames, parameters: parameterNames))
    }
}

struct ExportReport {
    var exchangeCount = 0
    /// The number of parts that redaction omitted.
    var leftOutCount = 0
    /// The number of exchanges that could not become a command.
    var withoutCommandCount = 0
}

/// Writes the exchanges that match a filter, or chosen ones, one after another: never more than one
/// of them, including its bodies, is in memory.
struct ExportRun {
    let reader: any ExchangeReading
    let filter: Filter
    /// Exchanges to write in this order, instead of those that match the filter.
    var ids: [ExchangeID]?
    let sink: any ByteSink
    let redactor: ExchangeRedactor?
    /// The OpenAPI description to merge into; nil for none.
    var existing: JSONValue?

    func write(
        _ format: ExportCommand.Format, _ isInterrupted: () -> Bool,
        progress: (_ fraction: Double, _ exchangeCount: Int) -> Void
    ) throws -> ExportReport {
        switch format {
        case .har:
            let writer = HARWriter(
                version: ProgramVersion.number,
                comment: redactor == nil ? nil : "credentials were removed")
            return try write(writer, isInterrupted, progress)
        case .jsonl: return try write(JSONLinesWriter(), isInterrupted, progress)
        case .curl: return try write(CurlWriter(), isInterrupted, progress)
        case .grpcurl: return try write(GRPCurlWriter(reader: reader), isInterrupted, progress)
        case .openapi: return try write(OpenAPIWriter(existing: existing), isInterrupted, progress)
        case .postman: return try write(PostmanWriter(), isInterrupted, progress)
        case .k6: return try write(K6Writer(), isInterrupted, progress)
        }
    }

    /// Writes all exchanges. Nothing is written if none match the filter.
    private func write(
        _ format: consuming some ExchangeWriting, _ isInterrupted: () -> Bool,
        _ progress: (_ fraction: Double, _ exchangeCount: Int) -> Void
    ) throws -> ExportReport {
        var format = format
        var report = ExportReport()
        var isStopped = false
        try forEachRow { (row, fraction) throws(StoreError) in
            guard let captured = try reader.captured(row) else { return true }
            if report.exchangeCount == 0 { sink.write(format.beginning()) }
            let redacted = redactor?.redacted(captured) ?? captured
            report.leftOutCount += redacted.leftOut.count
            sink.write(format.opening(of: redacted))
            if format.includesMessages(of: redacted) {
                report.leftOutCount += try writeMessages(
                    of: redacted, from: captured, &format, isInterrupted)
            }
            sink.write(format.closing())
            report.exchangeCount += 1
            progress(fraction, report.exchangeCount)
            isStopped = sink.failure != nil || isInterrupted()
            return !isStopped
        }
        if isInterrupted() { throw CommandFailure("interrupted: no file was written") }
        if isStopped { return report }
        if report.exchangeCount == 0, filter.text.isEmpty { sink.write(format.beginning()) }
        if report.exchangeCount > 0 || filter.text.isEmpty { sink.write(format.ending()) }
        report.withoutCommandCount = format.withoutCommandCount
        return report
    }

    /// Writes the messages of an exchange in groups; returns how many were omitted.
    private func writeMessages(
        of captured: CapturedExchange, from original: CapturedExchange,
        _ format: inout some ExchangeWriting, _ isInterrupted: () -> Bool
    ) throws(StoreError) -> Int {
        var leftOutCount = 0
        try reader.forEachMessagePage(
            of: captured.row.id, byteCountMax: ExportRun.messageByteCountMax
        ) { (page) throws(StoreError) in
            let messages =
                redactor?.redacted(page, of: captured, from: original)
                ?? page.map { ExportedMessage($0) }
            leftOutCount += messages.count { $0.isLeftOut }
            sink.write(format.bytes(of: messages, in: captured))
            return sink.failure == nil && !isInterrupted()
        }
        return leftOutCount
    }

    /// The maximum number of bytes read of a message; no stored message is longer.
    private static let messageByteCountMax = 64 << 20

    /// Reads the rows to write, with the share done after each, until the closure returns false.
    private func forEachRow(_ body: (ExchangeRow, Double) throws(StoreError) -> Bool) throws {
        if let ids {
            for (index, id) in ids.enumerated() {
                guard let row = try reader.row(id) else { continue }
                guard try body(row, Double(index + 1) / Double(ids.count)) else { return }
            }
            return
        }
        let end = try ListEnd(of: reader)
        var first: Int64?
        try reader.forEachRow(matching: filter, .oldest) { (row) throws(StoreError) in
            // Exchanges recorded during the export are not included.
            guard end.includes(row) else { return false }
            first = first ?? row.position
            return try body(row, end.share(through: row, from: first ?? row.position))
        }
    }
}
