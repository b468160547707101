internal import ArgumentParser
internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydInterchange

/// `proxyctl messages`: what was said over a WebSocket, an event stream or a gRPC call.
struct MessagesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "messages", abstract: "Show the messages of one exchange.",
        discussion: """
            Messages of WebSockets, server-sent events and gRPC calls are listed while their \
            exchange goes on. With --follow those that come are printed until the exchange ends.
            """)

    /// Bytes that are read of each message: as much as is ever kept of one.
    private static let byteCountMax = 16 << 20
    private static let pageCount = 256
    private static let descriptors = DescriptorCache()

    @OptionGroup var global: GlobalOptions
    @Argument(help: ArgumentHelp("The exchange's number.", valueName: "id"))
    var id: Int64
    @Flag(help: "One JSON object a line.")
    var json = false
    @Flag(help: "Go on with what comes until the exchange ends.")
    var follow = false

    func run() throws {
        let directory = try global.dataDirectory()
        let reader = try StoreAccess.reader(directory)
        let id = ExchangeID(rawValue: id)
        guard try row(reader, id) != nil else { throw CommandFailure("there is no exchange \(id)") }
        let surroundings = Surroundings.current
        let printer = MessagePrinter(asJSON: json, surroundings)
        let watch = ChangeWatch(directory)
        var last: Int64 = -1
        while true {
            // Asked for before the messages, so that none that came before the end is missed.
            let isOver = try row(reader, id)?.state != .active
            last = try print(reader, id, after: last, to: printer)
            if !follow || isOver || surroundings.output.failure != nil { return }
            printer.flush()
            watch.wait()
        }
    }

    private func row(_ reader: any ExchangeReading, _ id: ExchangeID) throws -> ExchangeRow? {
        try StoreAccess.attempt { () throws(StoreError) in try reader.row(id) }
    }

    /// Prints what comes behind a position; returns the last position printed.
    private func print(
        _ reader: any ExchangeReading, _ id: ExchangeID, after last: Int64,
        to printer: MessagePrinter
    ) throws -> Int64 {
        var last = last
        while true {
            let position = last
            let rows = try StoreAccess.attempt { () throws(StoreError) in
                try reader.messages(
                    of: id, .after(position), limit: MessagesCommand.pageCount,
                    byteCountMax: MessagesCommand.byteCountMax)
            }
            guard let end = rows.last else { return last }
            if rows.contains(where: { $0.kind == .grpc }) {
                printer.grpc = try StoreAccess.attempt { () throws(StoreError) in
                    try MessagesCommand.descriptors.reading(of: id, reader)
                }
            }
            for row in rows { printer.print(row) }
            last = end.position
        }
    }
}
