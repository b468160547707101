public import ProxydHTTPModel

/// Writes exchanges in the formats of other programs.
public protocol Exporting: Sendable {
    /// Writes exchanges, oldest first or in the order given. Returns what was written. Throws what
    /// a person is told, and what `write` throws.
    /// - Parameters:
    ///   - write: Takes the octets of the file, piece by piece.
    ///   - progress: Told how far it is; false stops.
    func export(
        _ order: ExportOrder, write: @escaping @Sendable ([UInt8]) throws -> Void,
        progress: (ExportProgress) -> Bool
    ) throws -> ExportSummary
}

/// What is to be exported, and how.
public struct ExportOrder: Sendable, Hashable {
    /// Which exchanges.
    public enum Selection: Sendable, Hashable {
        case exchanges([ExchangeID])
        /// All that pass a filter.
        case filter(String)
    }

    /// A format, by the name that `proxyctl export` knows it under.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        case har, curl, jsonl
    }

    /// Which exchanges.
    public var selection: Selection
    /// How they are written.
    public var format: Format
    /// Whether credentials are taken out.
    public var isRedacted: Bool

    /// An order.
    public init(selection: Selection, format: Format, isRedacted: Bool) {
        self.selection = selection
        self.format = format
        self.isRedacted = isRedacted
    }
}

/// How far an export is.
public struct ExportProgress: Sendable, Hashable {
    /// Exchanges written.
    public var exchangeCount: Int
    /// How much of the whole that is, from 0 to 1.
    public var fraction: Double

    /// A state of things.
    public init(exchangeCount: Int, fraction: Double) {
        self.exchangeCount = exchangeCount
        self.fraction = fraction
    }
}

/// What an export wrote.
public struct ExportSummary: Sendable, Hashable {
    /// Exchanges written.
    public var exchangeCount: Int
    /// Parts that were left out because nobody could look into them for credentials.
    public var leftOutCount: Int
    /// Exchanges that cannot be said as a command.
    public var withoutCommandCount: Int

    /// A summary.
    public init(exchangeCount: Int, leftOutCount: Int = 0, withoutCommandCount: Int = 0) {
        self.exchangeCount = exchangeCount
        self.leftOutCount = leftOutCount
        self.withoutCommandCount = withoutCommandCount
    }
}
