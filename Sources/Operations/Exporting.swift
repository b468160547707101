public import ProxydHTTPModel

/// Writes exchanges in the formats of other programs.
public protocol Exporting: Sendable {
    /// Writes exchanges, oldest first or in the given order. Returns a summary of what was written.
    /// Throws an error message for the user, and any error that `write` throws.
    /// - Parameters:
    ///   - write: Takes the bytes of the file, piece by piece.
    ///   - progress: Receives the progress; returns false to stop.
    func export(
        _ order: ExportOrder, write: @escaping @Sendable ([UInt8]) throws -> Void,
        progress: (ExportProgress) -> Bool
    ) throws -> ExportSummary
}

/// What to export, and how.
public struct ExportOrder: Sendable, Hashable {
    /// Which exchanges to export.
    public enum Selection: Sendable, Hashable {
        case exchanges([ExchangeID])
        /// All exchanges that match a filter.
        case filter(String)
    }

    /// A format, by its name in `proxyctl export`.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        case har, curl, jsonl, openapi, postman, k6
    }

    /// Which exchanges to export.
    public var selection: Selection
    /// The file format.
    public var format: Format
    /// Whether credentials are removed.
    public var isRedacted: Bool
    /// Names whose values are removed besides those that always are; only if `isRedacted`.
    public var hiddenNames = HiddenNames()

    /// Creates an export order.
    public init(selection: Selection, format: Format, isRedacted: Bool) {
        self.selection = selection
        self.format = format
        self.isRedacted = isRedacted
    }
}

/// The progress of an export.
public struct ExportProgress: Sendable, Hashable {
    /// The number of exchanges written.
    public var exchangeCount: Int
    /// The share of the whole export that is done, from 0 to 1.
    public var fraction: Double

    /// Creates a progress report.
    public init(exchangeCount: Int, fraction: Double) {
        self.exchangeCount = exchangeCount
        self.fraction = fraction
    }
}

/// A summary of what an export wrote.
public struct ExportSummary: Sendable, Hashable {
    /// The number of exchanges written.
    public var exchangeCount: Int
    /// The number of parts omitted because they could not be searched for credentials.
    public var leftOutCount: Int
    /// The number of exchanges that cannot be expressed as a command.
    public var withoutCommandCount: Int

    /// Creates a summary.
    public init(exchangeCount: Int, leftOutCount: Int = 0, withoutCommandCount: Int = 0) {
        self.exchangeCount = exchangeCount
        self.leftOutCount = leftOutCount
        self.withoutCommandCount = withoutCommandCount
    }
}

/// Names of fields and parameters whose values a user wants hidden, besides those that always are.
public struct HiddenNames: Sendable, Hashable {
    /// Names of header fields.
    public var fields: [String]
    /// Names of parameters: of a query, a form, JSON, a multipart body.
    public var parameters: [String]

    /// Creates a set of names, by default of none.
    public init(fields: [String] = [], parameters: [String] = []) {
        self.fields = fields
        self.parameters = parameters
    }
}
