internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydPresentation
internal import ProxydTerminalText
internal import ArgumentParser

/// `proxyctl messages`: the messages of a WebSocket, an event stream or a gRPC call.
struct MessagesCommand: FileReading {
    static let configuration = CommandConfiguration(
        commandName: "messages", abstract: "Show the messages of an exchange.",
        discussion: """
            Messages of WebSockets, server-sent events and gRPC calls are listed even while their \
            exchange is active. With --follow, new messages are printed until the exchange ends.

            A filter selects messages: words are searched for in their text, and the fields are \
            kind, dir, bytes, text, event, id, data, code and problem, as in 'messages 7 price \
            kind=text dir=to_client'; see proxyctl help filter. If no message matches, the exit \
            code is 1.
            """)

    /// The maximum number of bytes read of each message, which is also the maximum stored.
    private static let byteCountMax = 16 << 20
    private static let descriptors = DescriptorCache()

    @OptionGroup var global: GlobalOptions
    @OptionGroup var reading: ReadOptions
    @Argument(help: ExchangeArgument.help)
    var id: ExchangeArgument
    @Argument(
        help: ArgumentHelp("The messages to select; see proxyctl help filter.", valueName: "filter")
    )
    var words: [String] = []
    @Flag(help: "One JSON object per line.")
    var json = false
    @Flag(help: "Print new messages until the exchange ends.")
    var follow = false

    func run() throws {
        let filter = try filter()
        let location = try reading.location(global)
        let reader = try location.reader(asksDaemon: !follow)
        let (name, id) = (id, try id.id(in: reader))
        guard try reader.row(id) != nil else {
            throw CommandFailure("there is no exchange \(name)")
        }
        let environment = Environment.current
        let printer = MessagePrinter(asJSON: json, environment)
        let watch = location.watch()
        var last: Int64 = -1
        while true {
            // Checked before the messages are read, so that none before the end is missed.
            let isOver = try reader.row(id)?.state != .active
            last = try print(reader, id, filter, after: last, to: printer)
            if !follow || isOver || environment.output.failure != nil { break }
            printer.flush()
            watch.wait()
        }
        guard printer.printedCount == 0 else { return }
        if !filter.matchesEverything { throw CommandFailure("nothing matched") }
        Report.warn("exchange \(name) has no messages: see proxyctl show \(name)")
    }

    private func filter() throws -> MessageFilter {
        let text = words.joined(separator: " ")
        do throws(FilterError) {
            return try MessageFilter.parse(text)
        } catch {
            throw FilterArgument.failure(error, text)
        }
    }

    /// Prints messages after a position; returns the last position that was read.
    private func print(
        _ reader: any ExchangeReading, _ id: ExchangeID, _ filter: MessageFilter,
        after last: Int64, to printer: MessagePrinter
    ) throws -> Int64 {
        try reader.forEachMessagePage(
            of: id, after: last, byteCountMax: MessagesCommand.byteCountMax
        ) { (page) throws(StoreError) in
            if page.contains(where: { $0.kind == .grpc }) {
                printer.grpc = try MessagesCommand.descriptors.reading(of: id, reader)
            }
            for row in page where filter.matches(row) { printer.print(row) }
            return !printer.hasFailed
        }
    }
}

/// Prints messages as JSON or as one line each.
final class MessagePrinter {
    /// How much of a message a line shows, in bytes; the terminal's width limits it further.
    private static let shownByteCountMax = 4_096

    private let report: Report
    private let asJSON: Bool
    private let output: any ByteSink
    private(set) var printedCount = 0

    /// How gRPC messages are decoded, or nil while unknown.
    var grpc: GRPCReading?

    init(asJSON: Bool, _ environment: Environment) {
        report = Report(environment)
        output = environment.output
        self.asJSON = asJSON
    }

    /// Whether the output is no longer read.
    var hasFailed: Bool { output.failure != nil }

    func print(_ message: MessageRow) {
        printedCount += 1
        if asJSON { return report.json(MessageJSON.value(message, grpc: grpc, withBytes: true)) }
        report.line(line(message))
    }

    func flush() { report.flush() }

    private func line(_ message: MessageRow) -> StyledText {
        let isToServer = message.direction == .toServer
        var line = StyledText("\(WallTime.local.full(message.atNs)) ", .dim)
        line.append(isToServer ? "→ " : "← ", isToServer ? .accent : .good)
        line.append(
            TerminalText.padded(message.kind.name, to: 9), message.kind.isData ? .plain : .dim)
        let size = Quantity.bytes(message.byteCount)
        line.append(String(repeating: " ", count: max(0, 8 - size.count)) + size + "  ")
        line.append(
            MessageText.line(
                of: message, byteCountMax: MessagePrinter.shownByteCountMax, grpc: grpc))
        if let problem = message.problem { line.append("  (\(problem))", .bad) }
        if message.flags.contains(.cut) { line.append("  (cut)", .notice) }
        return line
    }
}
