internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel

/// The work of a list of messages off the drawing thread.
enum MessageWorks {
    /// A part of a result.
    struct Part: Sendable {
        /// Where the list starts over with this part, or nil if it continues.
        var start: MessageWindow.Start?
        let slice: MessageSlice
        /// The share of the messages that was scanned, or nil if all were.
        var share: Double?
        /// The position of the last message, or nil if it was not read.
        var last: Int64?
        /// How gRPC messages are decoded, or nil if the part contains none.
        var grpc: GRPCReading?
    }

    /// Starts a list over.
    static func begin(
        _ start: MessageWindow.Start, _ exchange: ExchangeID, _ sieve: MessageSieve, count: Int
    ) -> Work<DetailScreen.News> {
        Work(MessageList.Load.page.rawValue, on: lane(sieve)) { context, report in
            let scan = MessageScan(exchange: exchange, sieve: sieve, context: context)
            let last = try scan.last()
            var begun: MessageWindow.Start? = start
            func part(_ slice: MessageSlice, _ share: Double?) -> Part {
                defer { begun = nil }
                let grpc = try? reading(slice, exchange, context)
                return Part(start: begun, slice: slice, share: share, last: last, grpc: grpc)
            }
            func read(_ page: MessagePage) throws -> Part {
                let slice = try scan.slice(from: page, count: count) {
                    report(.part(part($0, $1), .page, isFinal: false))
                }
                return part(slice, nil)
            }
            switch start {
            case .first: return .part(try read(.oldest), .page, isFinal: true)
            case .last: return .part(try read(.newest), .page, isFinal: true)
            case .around(let position):
                report(.part(try read(.after(position &- 1)), .page, isFinal: false))
                return .part(try read(.before(position)), .page, isFinal: true)
            }
        }
    }

    /// Reads more at an end of the loaded rows.
    static func more(
        _ load: MessageList.Load, from page: MessagePage, _ exchange: ExchangeID,
        _ sieve: MessageSieve, count: Int
    ) -> Work<DetailScreen.News> {
        Work(load.rawValue, on: lane(sieve)) { context, report in
            let scan = MessageScan(exchange: exchange, sieve: sieve, context: context)
            let slice = try scan.slice(from: page, count: count) {
                report(.part(Part(slice: $0, share: $1), load, isFinal: false))
            }
            return .part(Part(slice: slice), load, isFinal: true)
        }
    }

    /// Reads what follows the loaded rows; if they do not reach the end, only the last position.
    static func news(
        _ exchange: ExchangeID, _ sieve: MessageSieve, after position: Int64?, count: Int
    ) -> Work<DetailScreen.News> {
        Work(MessageList.Load.news.rawValue, on: lane(sieve), isQuiet: true) { context in
            let scan = MessageScan(exchange: exchange, sieve: sieve, context: context)
            let last = try scan.last()
            guard let position, last > position else {
                let none = Part(slice: MessageSlice(side: .after, isAtEdge: true), last: last)
                return .part(none, .news, isFinal: true)
            }
            let slice = try scan.slice(from: .after(position), count: count)
            let part = Part(
                slice: slice, last: last, grpc: try reading(slice, exchange, context))
            return .part(part, .news, isFinal: true)
        }
    }

    /// How the messages found are decoded, or nil if none is a gRPC message.
    private static func reading(
        _ slice: MessageSlice, _ exchange: ExchangeID, _ context: WorkContext
    ) throws -> GRPCReading? {
        guard slice.rows.contains(where: { $0.kind == .grpc }) else { return nil }
        return try context.exchanges.grpcReading(of: exchange)
    }

    /// Counts the messages that match the sieve.
    static func count(_ exchange: ExchangeID, _ sieve: MessageSieve) -> Work<DetailScreen.News> {
        Work(MessageList.countSlot, on: .counts) { context, report in
            .counted(
                try MessageScan(exchange: exchange, sieve: sieve, context: context).count {
                    report(.counting($0))
                })
        }
    }

    /// A filter may scan all messages, and keys must not wait for that.
    private static func lane(_ sieve: MessageSieve) -> WorkLane {
        sieve.isFiltered ? .searches : .rows
    }
}
