public import ProxydFilter

/// What an assertion file expects of recorded exchanges.
public struct AssertionSet: Sendable {
    /// The exchanges that are looked at; everything if the file says nothing.
    public let scope: Filter
    /// The expectations, in the order of the file.
    public let expectations: [Expectation]
    /// The golden files, in the order of the file.
    public let goldens: [GoldenExpectation]
}

/// Something that is expected of the exchanges that match a filter.
public struct Expectation: Sendable {
    /// The name for reports.
    public let name: String
    /// The line in the file.
    public let line: Int
    /// Which exchanges of the scope it is about.
    public let when: Filter
    /// The parts of that filter.
    public let whenParts: [Filter]
    /// How many there must be.
    public let count: CountRange
    /// What each of them must match: the parts of a filter, with their texts.
    public let every: [Filter]
    /// The most milliseconds that 95 of 100 may take; nil for no bound.
    public let p95Milliseconds: Double?
    /// What must be in the JSON of each response.
    public let json: [JSONExpectation]
    /// Filters of which each must match an exchange after the one of the filter before it.
    public let sequence: [Filter]
}

/// Responses that must be those of a file.
public struct GoldenExpectation: Sendable {
    /// How exchanges are assigned to those of the file.
    public enum Match: String, Sendable, Hashable, CaseIterable {
        /// By their order, method and URL.
        case order
        /// By their requests, compared as for mocks, in any order.
        case key
    }

    /// The name for reports.
    public let name: String
    /// The line in the assertion file.
    public let line: Int
    /// The path of the golden file, relative to the folder of the assertion file.
    public let file: String
    /// Which exchanges of the scope it is about.
    public let when: Filter
    /// How exchanges are assigned.
    public let match: Match
    /// What is not compared.
    public let masks: GoldenMasks
    /// Whether the bodies of requests are compared, too.
    public let comparesRequests: Bool
}
