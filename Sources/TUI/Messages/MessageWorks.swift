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
    ) -> Work {
        Work(MessageList.Load.page.rawValue, on: lane(sieve)) { context in
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
                    context.report(part($0, $1))
                }
                return part(slice, nil)
            }
            switch start {
            case .first: return try read(.oldest)
            case .last: return try read(.newest)
            case .around(let position):
                context.report(try read(.after(position &- 1)))
                return try read(.before(position))
            }
        }
    }

    /// Reads on at an end of what is held.
    static func more(
        _ load: MessageList.Load, from page: MessagePage, _ exchange: ExchangeID,
        _ sieve: MessageSieve, count: Int
    ) -> Work {
        Work(load.rawValue, on: lane(sieve)) { context in
            let scan = MessageScan(exchange: exchange, sieve: sieve, context: context)
            let slice = try scan.slice(from: page, count: count) {
                context.report(Part(slice: $0, share: $1))
            }
            return Part(slice: slice)
        }
    }

    /// Looks for what came behind what is held; where the end is not held, only how far it is.
    static func news(
        _ exchange: ExchangeID, _ sieve: MessageSieve, after position: Int64?, count: Int
    ) -> Work {
        Work(MessageList.Load.news.rawValue, on: lane(sieve), isQuiet: true) { context in
            let scan = MessageScan(exchange: exchange, sieve: sieve, context: context)
            let last = try scan.last()
            guard let position, last > position else {
                return Part(slice: MessageSlice(side: .after, isAtEdge: true), last: last)
            }
            let slice = try scan.slice(from: .after(position), count: count)
            return Part(slice: slice, last: last, grpc: try reading(slice, exchange, context))
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
    static func count(_ exchange: ExchangeID, _ sieve: MessageSieve) -> Work {
        Work(MessageList.countSlot, on: .counts) { context in
            try MessageScan(exchange: exchange, sieve: sieve, context: context).count {
                context.report($0)
            }
        }
    }

    /// A filter may look at all messages: keys do not wait for that.
    private static func lane(_ sieve: MessageSieve) -> Work.Lane {
        sieve.isFiltered ? .searches : .rows
    }
}
