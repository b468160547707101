internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydInterchange

/// What a list of messages has done off the drawing thread.
enum MessageWorks {
    /// A piece of what is read.
    struct Part: Sendable {
        /// Where the list begins anew with this piece; nil where it goes on.
        var start: MessageWindow.Start?
        let slice: MessageSlice
        /// The share of the messages that was looked at; nil where all was.
        var share: Double?
        /// The position of the last message there is; nil where nobody asked.
        var last: Int64?
        /// How the messages of a gRPC call are read; nil where none is in it.
        var grpc: GRPCReading?
    }

    /// Starts a list anew.
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

    /// Reads on at an end of what is held.
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

    /// Looks for what came behind what is held; where the end is not held, only how far it is.
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

    /// How messages are read that were found; nil where none is of gRPC.
    private static func reading(
        _ slice: MessageSlice, _ exchange: ExchangeID, _ context: WorkContext
    ) throws -> GRPCReading? {
        guard slice.rows.contains(where: { $0.kind == .grpc }) else { return nil }
        return try context.exchanges.grpcReading(of: exchange)
    }

    /// Counts what passes the sieve.
    static func count(_ exchange: ExchangeID, _ sieve: MessageSieve) -> Work<DetailScreen.News> {
        Work(MessageList.countSlot, on: .counts) { context, report in
            .counted(
                try MessageScan(exchange: exchange, sieve: sieve, context: context).count {
                    report(.counting($0))
                })
        }
    }

    /// A filter may look at all messages: keys do not wait for that.
    private static func lane(_ sieve: MessageSieve) -> WorkLane {
        sieve.isFiltered ? .searches : .rows
    }
}
