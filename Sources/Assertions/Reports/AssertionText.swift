internal import ProxydCaptureModel
internal import ProxydHTTPModel
package import ProxydPresentation
internal import ProxydExchangeContent

/// A report for people.
package enum AssertionText {
    /// The lines of the report.
    package static func lines(_ report: AssertionReport) -> [StyledText] {
        var lines = report.results.flatMap(lines)
        let count = report.results.count
        lines.append(
            report.holds
                ? StyledText("all \(count) hold", .good)
                : StyledText("\(report.failureCount) of \(count) failed", .bad))
        return lines
    }

    private static func lines(of result: AssertionResult) -> [StyledText] {
        var line = result.holds ? StyledText("ok    ", .good) : StyledText("FAIL  ", .bad)
        line.append(result.name)
        if result.kind == .expect || result.kind == .golden {
            line.append("  \(Quantity.count(result.matchedCount, "exchange"))", .dim)
        }
        if let remark = result.remark { line.append("  \(remark)", .notice) }
        return [line] + result.problems.flatMap(lines)
    }

    private static func lines(of problem: AssertionProblem) -> [StyledText] {
        let count = problem.rowCount
        let named = problem.rows.prefix(AssertionProblem.namedCountMax)
        var lines = [StyledText("      \(problem.message)")]
        lines += named.map { ExchangeRedactor().redacted($0) }.map { row in
            let status = row.status.map(String.init) ?? row.state.rawValue
            let duration = row.durationNs.map { "  \(Quantity.duration($0))" } ?? ""
            return StyledText("        \(row.idText)  ", .dim)
                + StyledText("\(status)  \(row.method ?? "-") \(row.url ?? "-")\(duration)")
        }
        if count > named.count {
            lines.append(StyledText("        and \(count - named.count) more", .dim))
        }
        return lines + problem.details.map { StyledText("        \($0)") }
    }
}
