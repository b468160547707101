internal import ProxydExchangeContent
public import ProxydParameterCoding

/// A report as a JSON object.
public enum AssertionJSON {
    /// The whole report.
    public static func value(_ report: AssertionReport) -> JSONValue {
        .members([
            ("file", .string(report.file)), ("holds", .bool(report.holds)),
            ("failures", .integer(report.failureCount)),
            ("results", .array(report.results.map(value))),
        ])
    }

    private static func value(_ result: AssertionResult) -> JSONValue {
        .members([
            ("kind", .string(result.kind.rawValue)), ("name", .string(result.name)),
            ("line", .integer(result.line)), ("holds", .bool(result.holds)),
            ("matched", .integer(result.matchedCount)),
            ("slowest_ms", .milliseconds(result.slowestNs)), ("remark", .text(result.remark)),
            ("problems", .array(result.problems.map(value))),
        ])
    }

    static func value(_ problem: AssertionProblem) -> JSONValue {
        .members([
            ("message", .string(problem.message)), ("part", .text(problem.part)),
            ("exchanges", .strings(problem.namedExchanges)),
            ("exchange_count", .integer(problem.rowCount)),
            ("details", .strings(problem.details)),
        ])
    }
}
