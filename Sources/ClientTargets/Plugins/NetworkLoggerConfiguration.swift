public import ProxydCurlCommand
public import Foundation

/// What a network logger writes, and how.
public struct NetworkLoggerConfiguration: Sendable {
    /// What is written.
    public struct LogOptions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: Int
        /// Options from bits.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// The method.
        public static let requestMethod = LogOptions(rawValue: 1 << 0)
        /// The body that is sent.
        public static let requestBody = LogOptions(rawValue: 1 << 1)
        /// The header fields that are sent.
        public static let requestHeaders = LogOptions(rawValue: 1 << 2)
        /// The request as a curl command, in place of all its other entries.
        public static let formatRequestAscURL = LogOptions(rawValue: 1 << 3)
        /// The body of a response that was accepted.
        public static let successResponseBody = LogOptions(rawValue: 1 << 4)
        /// The body of a response that was not accepted.
        public static let errorResponseBody = LogOptions(rawValue: 1 << 5)
        /// One line for each request, when it is over, in place of all other entries but curl's.
        public static let oneLine = LogOptions(rawValue: 1 << 6)
        /// Method and header fields.
        public static let `default`: LogOptions = [.requestMethod, .requestHeaders]
        /// All but the curl command and the one-line form.
        public static let verbose: LogOptions = [
            .requestMethod, .requestHeaders, .requestBody, .successResponseBody,
            .errorResponseBody,
        ]
    }

    /// Makes entries and texts.
    public struct Formatter: Sendable {
        /// Makes an entry: what it is about, its text, and the target.
        public typealias EntryClosure =
            @Sendable (_ identifier: String, _ message: String, _ target: any TargetType) -> String
        /// Shows bytes.
        public typealias DataClosure = @Sendable ([UInt8]) -> String

        /// Makes entries.
        public var entry: EntryClosure
        /// Shows bodies that are sent.
        public var requestData: DataClosure
        /// Shows bodies that came.
        public var responseData: DataClosure

        /// A formatter: `ClientLib_Logger: [date] Identifier: message`, bodies as UTF-8.
        public init(
            entry: @escaping EntryClosure = Formatter.entry(at: { Date() }),
            requestData: @escaping DataClosure = Formatter.text,
            responseData: @escaping DataClosure = Formatter.text
        ) {
            self.entry = entry
            self.requestData = requestData
            self.responseData = responseData
        }

        /// The usual entry, dated by `now`.
        public static func entry(at now: @escaping @Sendable () -> Date) -> EntryClosure {
            { identifier, message, _ in
                "ClientLib_Logger: [\(now().formatted(.iso8601))] \(identifier): \(message)"
            }
        }

        /// The bytes as UTF-8; where they are none, how many there are.
        @Sendable public static func text(_ octets: [UInt8]) -> String {
            String(validating: octets, as: UTF8.self)
                ?? "## Cannot map data to String: \(octets.count) bytes ##"
        }
    }

    /// Takes the entries of one request or response.
    public typealias OutputClosure =
        @Sendable (_ target: any TargetType, _ items: [String]) -> Void

    /// Makes entries.
    public var formatter: Formatter
    /// Takes entries.
    public var output: OutputClosure
    /// What is written.
    public var logOptions: LogOptions
    /// Which values are secrets; nil to write everything.
    public var redaction: Redaction?

    /// A configuration; entries are printed.
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

    /// Prints entries, one a line.
    @Sendable public static func print(_ target: any TargetType, _ items: [String]) {
        for item in items { Swift.print(item) }
    }
}
