public import ProxydHTTPModel

/// Writes exchanges in the formats of other programs.
public protocol ExchangeExporting: Sendable {
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

public struct ExportOrder: Sendable, Hashable {
    public enum Selection: Sendable, Hashable {
        case exchanges([ExchangeID])
        case filter(String)
    }

    /// A format, by its name in `proxyctl export`.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        case har, curl, jsonl, openapi, postman, k6
    }

    public var selection: Selection
    public var format: Format
    public var isRedacted: Bool
    /// Names whose values are removed in addition to the built-in ones; only if `isRedacted`.
    public var hiddenNames = HiddenNames()

    public init(selection: Selection, format: Format, isRedacted: Bool) {
        self.selection = selection
        self.format = format
        self.isRedacted = isRedacted
    }
}

public struct ExportProgress: Sendable, Hashable {
    public var exchangeCount: Int
    /// From 0 to 1.
    public var fraction: Double

    public init(exchangeCount: Int, fraction: Double) {
        self.exchangeCount = exchangeCount
        self.fraction = fraction
    }
}

public struct ExportSummary: Sendable, Hashable {
    public var exchangeCount: Int
    /// The number of parts omitted because they could not be searched for credentials.
    public var leftOutCount: Int
    /// The number of exchanges that cannot be expressed as a command.
    public var withoutCommandCount: Int

    public init(exchangeCount: Int, leftOutCount: Int = 0, withoutCommandCount: Int = 0) {
        self.exchangeCount = exchangeCount
        self.leftOutCount = leftOutCount
        self.withoutCommandCount = withoutCommandCount
    }
}

/// Names of fields and parameters that a user wants hidden besides the built-in ones.
public struct HiddenNames: Sendable, Hashable {
    public var fields: [String]
    /// Names of parameters in queries, forms, JSON and multipart bodies.
    public var parameters: [String]

    public init(fields: [String] = [], parameters: [String] = []) {
        self.fields = fields
        self.parameters = parameters
    }
}
