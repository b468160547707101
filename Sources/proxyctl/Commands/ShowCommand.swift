internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydPresentation
internal import ProxydSystem
internal import ProxydTerminalText
internal import ArgumentParser

/// `proxyctl show`: shows everything about one exchange.
struct ShowCommand: FileReading {
    enum Part: String, ExpressibleByArgument, CaseIterable {
        case request
        case response

        var stored: StoredMessage { self == .request ? .request : .response }
    }

    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show an exchange.",
        discussion: """
            On a terminal, --raw and --body make control characters visible; otherwise they write \
            exactly the captured bytes. --body shows the response body unless --part says \
            otherwise; --decoded removes its content codings, such as gzip, and --text also \
            converts its charset to UTF-8.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var reading: ReadOptions
    @Argument(help: ExchangeArgument.help)
    var id: ExchangeArgument?
    @Flag(help: "The newest exchange.")
    var last = false
    @Flag(help: "One JSON object.")
    var json = false
    @Flag(help: "The bytes of the head and body as captured.")
    var raw = false
    @Flag(help: "Only the bytes of the body as captured.")
    var body = false
    @Flag(help: "The body with content codings decoded; implies --body.")
    var decoded = false
    @Flag(help: "The body decoded and converted to UTF-8 text; implies --body.")
    var text = false
    @Option(help: "Only this message: request or response.")
    var part: Part?

    func validate() throws {
        if (id == nil) != last {
            throw ValidationError("name an exchange by its number, or give --last")
        }
        if [json, raw, body || decoded || text].filter(\.self).count > 1 {
            throw ValidationError("--json, --raw and --body cannot be combined")
        }
    }

    /// The name that is given, or that of the newest exchange.
    private func name(in reader: any ExchangeReading) throws -> ExchangeArgument {
        if let id { return id }
        guard let newest = try reader.lastExchangeID(),
            let name = ExchangeArgument(argument: try reader.name(of: newest))
        else { throw CommandFailure("nothing has been recorded yet") }
        return name
    }

    func run() throws {
        let reader = try reading.location(global).reader()
        let name = try name(in: reader)
        let id = try name.id(in: reader)
        let row = try reader.row(id)
        guard let row else { throw CommandFailure("there is no exchange \(name)") }
        if raw || body && !decoded && !text { return try printBytes(reader, id) }
        let exchange = try reader.exchange(id)
        guard let exchange else { throw CommandFailure("there is no exchange \(name)") }
        if decoded || text { return try printContent(of: exchange, named: name) }
        if json { return printJSON(row, exchange) }
        let malformedHead =
            try exchange.request.head == nil ? reader.headBytes(of: id, .request) : nil
        let report = ExchangeReport(
            row: row, exchange: exchange, malformedHead: malformedHead, now: SystemClock.wallNow(),
            messages: try DescribedMessages(of: id, reader))
        let lines =
            switch part {
            case .request?: Array(report.requestLines().dropFirst())
            case .response?: Array(report.responseLines().dropFirst())
            case nil: report.lines()
            }
        let output = Report()
        for line in lines { output.wrapped(line) }
        if lines.isEmpty { throw CommandFailure("exchange \(name) has no response") }
    }

    private func printJSON(_ row: ExchangeRow, _ exchange: Exchange) {
        let report = Report()
        switch part {
        case .request?: report.json(ExchangeJSON.request(exchange.request))
        case .response?: report.json(ExchangeJSON.response(exchange))
        case nil: report.json(ExchangeJSON.value(row, exchange))
        }
    }

    // MARK: Content

    /// Prints the decoded body. Bytes decoded before an error are printed before it is reported.
    private func printContent(
        of exchange: Exchange, named name: ExchangeArgument
    ) throws {
        let (message, fields) =
            part == .request
            ? (exchange.request.body, exchange.request.head?.fields)
            : (exchange.response?.body, exchange.response?.head.fields)
        guard let message else { throw CommandFailure("exchange \(name) has no response") }
        let content = BodyContent(message, fields)
        let printer = BytePrinter(Environment.current)
        if text {
            guard let text = content.text else {
                throw CommandFailure("the body is not text in a known charset: use --decoded")
            }
            printer.print(Array(text.utf8))
        } else {
            printer.print(content.bytes)
        }
        printer.finish()
        if let remark = content.remark { Report.warn("\(remark)") }
        if !content.isDecoded, let failure = content.failure {
            throw CommandFailure("the body could not be decoded completely: \(failure)")
        }
    }

    // MARK: Bytes

    private func printBytes(_ reader: any ExchangeReading, _ id: ExchangeID) throws {
        let environment = Environment.current
        let printer = BytePrinter(environment)
        for part in part.map({ [$0] }) ?? (body ? [.response] : [.request, .response]) {
            if raw, let head = try reader.headBytes(of: id, part.stored) { printer.print(head) }
            try reader.forEachBodyChunk(of: id, part.stored) { chunk in
                printer.print(chunk)
                return true
            }
        }
        printer.finish()
    }
}

/// Prints captured bytes: unchanged to files and pipes, made visible on a terminal.
final class BytePrinter {
    private let report: Report
    private let isTerminal: Bool
    /// On a terminal everything is collected first, so that no character is split.
    private var collected: [UInt8] = []

    private static let terminalByteCountMax = 1 << 20

    init(_ environment: Environment) {
        report = Report(environment)
        isTerminal = environment.isTerminal
    }

    func print(_ bytes: [UInt8]) {
        guard isTerminal else { return report.exactly(bytes) }
        let room = BytePrinter.terminalByteCountMax - collected.count
        collected += bytes.prefix(max(0, room))
    }

    func finish() {
        guard isTerminal, !collected.isEmpty else { return }
        var text = TerminalText.sanitize(collected, layout: .multiLine)
        if !text.hasSuffix("\n") { text += "\n" }
        report.exactly(Array(text.utf8))
        if collected.count == BytePrinter.terminalByteCountMax {
            report.line(StyledText("… truncated: redirect the output to get everything", .dim))
        }
    }
}
