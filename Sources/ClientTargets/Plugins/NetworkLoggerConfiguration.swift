public import ProxydRedaction
public import Foundation

/// What a network logger writes, and in which format.
public struct NetworkLoggerConfiguration: Sendable {
    /// The parts of requests and responses that are logged.
    public struct LogOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: Int
        /// Creates options from bits.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// Logs the request method.
        public static let requestMethod = LogOptions(rawValue: 1 << 0)
        /// Logs the request body.
        public static let requestBody = LogOptions(rawValue: 1 << 1)
        /// Logs the request's header fields.
        public static let requestHeaders = LogOptions(rawValue: 1 << 2)
        /// Logs the request as a curl command instead of its other entries.
        public static let formatRequestAscURL = LogOptions(rawValue: 1 << 3)
        /// Logs the body of an accepted response.
        public static let successResponseBody = LogOptions(rawValue: 1 << 4)
        /// Logs the body of a rejected response.
        public static let errorResponseBody = LogOptions(rawValue: 1 << 5)
        /// Logs one line for each request when it ends, instead of all other entries except curl's.
        public static let oneLine = LogOptions(rawValue: 1 << 6)
        /// The default: method and header fields.
        public static let `default`: LogOptions = [.requestMethod, .requestHeaders]
        /// Everything except the curl command and the one-line form.
        public static let verbose: LogOptions = [
            .requestMethod, .requestHeaders, .requestBody, .successResponseBody,
            .errorResponseBody,
        ]
    }

    /// Formats log entries and bodies.
    public struct Formatter: Sendable {
        /// Formats an entry from its identifier, its text and the target.
        public typealias EntryClosure =
            @Sendable (_ identifier: String, _ message: String, _ target: any TargetType) -> String
        /// Formats bytes as text.
        public typealias DataClosure = @Sendable ([UInt8]) -> String

        /// Formats the entries.
        public var entry: EntryClosure
        /// Formats request bodies.
        public var requestData: DataClosure
        /// Formats response bodies.
        public var responseData: DataClosure

        /// Creates a formatter; the default entry is `ClientLib_Logger: [date] Identifier:
        /// message`, with bodies as UTF-8.
        public init(
            entry: @escaping EntryClosure = Formatter.entry(at: { Date() }),
            requestData: @escaping DataClosure = Formatter.text,
            responseData: @escaping DataClosure = Formatter.text
        ) {
            self.entry = entry
            self.requestData = requestData
            self.responseData = responseData
        }

        /// The default format of entries, with dates from `now`.
        public static func entry(at now: @escaping @Sendable () -> Date) -> EntryClosure {
            { identifier, message, _ in
                "ClientLib_Logger: [\(now().formatted(.iso8601))] \(identifier): \(message)"
            }
        }

        /// The bytes as UTF-8, or their number if they are not valid UTF-8.
        @Sendable public static func text(_ bytes: [UInt8]) -> String {
            String(validating: bytes, as: UTF8.self)
                ?? "## Cannot map data to String: \(bytes.count) bytes ##"
        }
    }

    /// Receives the entries of one request or response.
    public typealias OutputClosure =
        @Sendable (_ target: any TargetType, _ items: [String]) -> Void

    /// Formats the entries.
    public var formatter: Formatter
    /// Receives the entries.
    public var output: OutputClosure
    /// The parts that are logged.
    public var logOptions: LogOptions
    /// Selects the values that are secret, or nil to log everything.
    public var redaction: Redaction?

    /// Creates a configuration; by default, entries are printed.
    public init(
        formatter: Formatter = Formatter(),
        output: @escaping OutputClosure = NetworkLoggerConfiguration.print,
        logOptions: LogOptions = .default, redaction: Redaction? = Redaction()
    ) {
        self.formatter = formatter
        self.output = output
        self.logOptions = logOptions
        self.redaction = redaction
    }

    /// Prints entries, one per line.
    @Sendable public static func print(_ target: any TargetType, _ items: [String]) {
        for item in items { Swift.print(item) }
    }
}
